// SPDX-License-Identifier: Apache-2.0
// Included at the end of quickjs.c (edits.cmake), whose types it uses. What the iterator of a map or
// a set still has to give, without moving it: an array, flat where the iterator gives pairs.
JSValue gyre_quickjs_preview(JSContext *ctx, JSValueConst iterator, bool is_set, bool *are_pairs)
{
    JSMapIteratorData *it = JS_GetOpaque(iterator, JS_CLASS_MAP_ITERATOR + is_set);
    JSValue made = JS_NewArray(ctx);
    JSMapState *s;
    struct list_head *el;
    uint32_t count = 0;

    *are_pairs = it != NULL && it->kind == JS_ITERATOR_KIND_KEY_AND_VALUE;
    if (it == NULL || JS_IsException(made) || JS_IsUndefined(it->obj)) return made;
    s = JS_GetOpaque(it->obj, JS_CLASS_MAP + is_set);
    el = it->cur_record ? it->cur_record->link.next : s->records.next;
    for (; el != &s->records; el = el->next) {
        JSMapRecord *mr = list_entry(el, JSMapRecord, link);
        if (mr->empty) continue;
        if (it->kind != JS_ITERATOR_KIND_VALUE)
            JS_SetPropertyUint32(ctx, made, count++, js_dup(mr->key));
        if (it->kind != JS_ITERATOR_KIND_KEY)
            JS_SetPropertyUint32(ctx, made, count++, js_dup(is_set ? mr->key : mr->value));
    }
    return made;
}
