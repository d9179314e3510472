# SPDX-License-Identifier: Apache-2.0
# Makes a copy of quickjs.c that differs in eight places. QuickJS has no function to set them:
#
#   Date        reads the time of the script, which may be virtual
#   the seed    of Math.random and of hash tables comes from the host, or is QuickJS's own
#   a reaction  of a promise runs in the async context in which it was made (AsyncLocalStorage)
#   a buffer    that does not fit the memory limit is a RangeError, as in V8
#   a wait      (Atomics.wait) looks every 20 ms whether the script was stopped
#   the end     of a script that was interrupted is an error of the host, and gets no stack: neither takes memory
#
# internal/preview.c is added at the end.
# The version is pinned: a text that is not there exactly once stops the configuration.
function(gyre_edit_quickjs source target)
    file(READ "${source}" text)
    set(before_date "return js__gettimeofday_us() / 1000;")
    set(after_date "return gyre_quickjs_date_ms(js__gettimeofday_us() / 1000);")
    set(before_seed "ctx->random_state = js__gettimeofday_us();")
    set(after_seed "ctx->random_state = gyre_quickjs_seed(js__gettimeofday_us());")
    set(before_reaction "rd->handler = js_dup(handler);")
    set(after_reaction "rd->handler = gyre_quickjs_handler(ctx, handler);")
    set(before_buffer "abuf->data = js_mallocz(ctx, max_int(len, 1));")
    set(after_buffer
        "abuf->data = js_mallocz_rt(rt, max_int(len, 1));
            if (!abuf->data) JS_ThrowRangeError(ctx, \"Array buffer allocation failed\");")
    set(before_wait "js_cond_wait(&waiter->cond, &js_atomics_mutex);")
    set(after_wait
        "while (waiter->linked && !gyre_quickjs_is_stopped(ctx))
            js_cond_timedwait(&waiter->cond, &js_atomics_mutex, 20000000);")
    set(before_timed_wait "ret = js_cond_timedwait(&waiter->cond, &js_atomics_mutex, timeout * 1e6 /* to ns */);")
    set(after_timed_wait
        "ret = -1;
        for (double left = timeout * 1e6; waiter->linked && left > 0 && !gyre_quickjs_is_stopped(ctx); left -= 20000000)
            js_cond_timedwait(&waiter->cond, &js_atomics_mutex, left < 20000000 ? left : 20000000);
        if (!waiter->linked) ret = 0;")
    set(before_end "JS_ThrowInternalError(ctx, \"interrupted\");
    JS_SetUncatchableError(ctx, ctx->rt->current_exception);")
    set(after_end "gyre_quickjs_throw_stopped(ctx);")
    set(before_stack "if (needs_backtrace(rt->current_exception)
    || JS_IsUndefined(ctx->error_back_trace)) {")
    set(after_stack "if (!JS_IsUncatchableError(rt->current_exception)
    && (needs_backtrace(rt->current_exception) || JS_IsUndefined(ctx->error_back_trace))) {")
    foreach(edit IN ITEMS date seed reaction buffer wait timed_wait end stack)
        string(FIND "${text}" "${before_${edit}}" first)
        string(FIND "${text}" "${before_${edit}}" last REVERSE)
        if(first EQUAL -1 OR NOT first EQUAL last)
            message(FATAL_ERROR "lang/script/quickjs: ${source} is another version: '${before_${edit}}'")
        endif()
        string(REPLACE "${before_${edit}}" "${after_${edit}}" text "${text}")
    endforeach()
    string(PREPEND text "#include \"quickjs.h\"
int64_t gyre_quickjs_date_ms(int64_t system_ms);
uint64_t gyre_quickjs_seed(uint64_t system_us);
JSValue gyre_quickjs_handler(JSContext *ctx, JSValueConst handler);
int gyre_quickjs_is_stopped(JSContext *ctx);
void gyre_quickjs_throw_stopped(JSContext *ctx);
#line 1 \"quickjs.c\"
")
    string(APPEND text "#include \"${CMAKE_CURRENT_SOURCE_DIR}/internal/preview.c\"\n")
    set(present "")
    if(EXISTS "${target}")
        file(READ "${target}" present)
    endif()
    if(NOT present STREQUAL text)
        file(WRITE "${target}" "${text}")
    endif()
endfunction()
