// SPDX-License-Identifier: Apache-2.0
// Requests whose work a thread of the pool does: the program's own, names, and random bytes.
#include <netdb.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "compat/uv/internal/memory.hpp"
#include "compat/uv/internal/pool_request.hpp"

namespace gyre::uv {
namespace {

template <class Uv>
uv_req_t* as_request(Uv* request) noexcept {
    return reinterpret_cast<uv_req_t*>(request);
}
template <class Uv>
Uv* as(uv_req_t* request) noexcept {
    return reinterpret_cast<Uv*>(request);
}

// An error of getaddrinfo as the interface has it.
int name_error(int code) noexcept {
    switch (code) {
        case 0:
            return 0;
        case EAI_ADDRFAMILY:
            return UV_EAI_ADDRFAMILY;
        case EAI_AGAIN:
            return UV_EAI_AGAIN;
        case EAI_BADFLAGS:
            return UV_EAI_BADFLAGS;
        case EAI_CANCELED:
            return UV_EAI_CANCELED;
        case EAI_FAIL:
            return UV_EAI_FAIL;
        case EAI_FAMILY:
            return UV_EAI_FAMILY;
        case EAI_MEMORY:
            return UV_EAI_MEMORY;
        case EAI_NODATA:
            return UV_EAI_NODATA;
        case EAI_NONAME:
            return UV_EAI_NONAME;
        case EAI_OVERFLOW:
            return UV_EAI_OVERFLOW;
        case EAI_SERVICE:
            return UV_EAI_SERVICE;
        case EAI_SOCKTYPE:
            return UV_EAI_SOCKTYPE;
        case EAI_SYSTEM:
            return -errno;
        default:
            return UV_EAI_FAIL;
    }
}

// ---- getaddrinfo ----

void look_up(uv_getaddrinfo_t* request) noexcept {
    request->retcode = name_error(
        ::getaddrinfo(request->hostname, request->service, request->hints, &request->addrinfo));
}

void free_names(uv_getaddrinfo_t* request) noexcept {
    // One block: the first part that is there is its begin.
    void* block = request->hints;
    if (block == nullptr) block = request->service;
    if (block == nullptr) block = request->hostname;
    release(block);
    request->hints = nullptr;
    request->service = nullptr;
    request->hostname = nullptr;
}

int copy_names(uv_getaddrinfo_t* request, const char* node, const char* service,
               const addrinfo* hints) noexcept {
    const std::size_t hints_size = hints == nullptr ? 0 : sizeof *hints;
    const std::size_t service_size = service == nullptr ? 0 : std::strlen(service) + 1;
    const std::size_t node_size = node == nullptr ? 0 : std::strlen(node) + 1;
    auto* block = static_cast<char*>(allocate(hints_size + service_size + node_size));
    if (block == nullptr) return UV_ENOMEM;
    request->hints = nullptr;
    request->service = nullptr;
    request->hostname = nullptr;
    if (hints != nullptr) {
        request->hints = reinterpret_cast<addrinfo*>(std::memcpy(block, hints, hints_size));
    }
    if (service != nullptr) {
        request->service =
            static_cast<char*>(std::memcpy(block + hints_size, service, service_size));
    }
    if (node != nullptr) {
        request->hostname =
            static_cast<char*>(std::memcpy(block + hints_size + service_size, node, node_size));
    }
    return 0;
}

// ---- getnameinfo ----

void look_up(uv_getnameinfo_t* request) noexcept {
    const socklen_t size =
        request->storage.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    request->retcode = name_error(::getnameinfo(
        reinterpret_cast<const sockaddr*>(&request->storage), size, request->host,
        sizeof request->host, request->service, sizeof request->service, request->flags));
}

// ---- random ----

int fill_random(void* buffer, std::size_t size) noexcept {
    auto* to = static_cast<char*>(buffer);
    while (size > 0) {
        const ssize_t count = ::getrandom(to, size, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? -errno : UV_EIO;
        to += count;
        size -= static_cast<std::size_t>(count);
    }
    return 0;
}

}  // namespace
}  // namespace gyre::uv

using gyre::uv::as;
using gyre::uv::as_request;
using gyre::uv::PoolRequest;

int uv_queue_work(uv_loop_t* loop, uv_work_t* req, uv_work_cb work_cb,
                  uv_after_work_cb after_work_cb) {
    if (work_cb == nullptr) return UV_EINVAL;
    req->type = UV_WORK;
    req->loop = loop;
    req->work_cb = work_cb;
    req->after_work_cb = after_work_cb;
    return PoolRequest::start(
        loop, as_request(req),
        [](uv_req_t* request) { as<uv_work_t>(request)->work_cb(as<uv_work_t>(request)); },
        [](uv_req_t* request, int status) {
            auto* work = as<uv_work_t>(request);
            if (work->after_work_cb != nullptr) work->after_work_cb(work, status);
        });
}

int uv_cancel(uv_req_t* req) {
    switch (req->type) {
        case UV_FS:
            return PoolRequest::cancel(as<uv_fs_t>(req)->loop, req);
        case UV_GETADDRINFO:
            return PoolRequest::cancel(as<uv_getaddrinfo_t>(req)->loop, req);
        case UV_GETNAMEINFO:
            return PoolRequest::cancel(as<uv_getnameinfo_t>(req)->loop, req);
        case UV_RANDOM:
            return PoolRequest::cancel(as<uv_random_t>(req)->loop, req);
        case UV_WORK:
            return PoolRequest::cancel(as<uv_work_t>(req)->loop, req);
        default:
            return UV_EINVAL;
    }
}

int uv_getaddrinfo(uv_loop_t* loop, uv_getaddrinfo_t* req, uv_getaddrinfo_cb getaddrinfo_cb,
                   const char* node, const char* service, const struct addrinfo* hints) {
    if (req == nullptr || (node == nullptr && service == nullptr)) return UV_EINVAL;
    // A longer one is no name of a host.
    constexpr std::size_t name_max = 255;
    if (node != nullptr && std::strlen(node) > name_max) return UV_ENAMETOOLONG;
    if (const int status = gyre::uv::copy_names(req, node, service, hints); status < 0) {
        return status;
    }
    req->type = UV_GETADDRINFO;
    req->loop = loop;
    req->cb = getaddrinfo_cb;
    req->addrinfo = nullptr;
    req->retcode = 0;
    if (getaddrinfo_cb == nullptr) {
        gyre::uv::look_up(req);
        gyre::uv::free_names(req);
        return req->retcode;
    }
    return PoolRequest::start(
        loop, as_request(req),
        [](uv_req_t* request) { gyre::uv::look_up(as<uv_getaddrinfo_t>(request)); },
        [](uv_req_t* request, int status) {
            auto* names = as<uv_getaddrinfo_t>(request);
            gyre::uv::free_names(names);
            if (status < 0) names->retcode = UV_EAI_CANCELED;
            names->cb(names, names->retcode, names->addrinfo);
        });
}

void uv_freeaddrinfo(struct addrinfo* ai) {
    if (ai != nullptr) ::freeaddrinfo(ai);
}

int uv_getnameinfo(uv_loop_t* loop, uv_getnameinfo_t* req, uv_getnameinfo_cb getnameinfo_cb,
                   const struct sockaddr* addr, int flags) {
    if (req == nullptr || addr == nullptr) return UV_EINVAL;
    if (addr->sa_family == AF_INET) {
        std::memcpy(&req->storage, addr, sizeof(sockaddr_in));
    } else if (addr->sa_family == AF_INET6) {
        std::memcpy(&req->storage, addr, sizeof(sockaddr_in6));
    } else {
        return UV_EINVAL;
    }
    req->type = UV_GETNAMEINFO;
    req->loop = loop;
    req->getnameinfo_cb = getnameinfo_cb;
    req->flags = flags;
    req->retcode = 0;
    if (getnameinfo_cb == nullptr) {
        gyre::uv::look_up(req);
        return req->retcode;
    }
    return PoolRequest::start(
        loop, as_request(req),
        [](uv_req_t* request) { gyre::uv::look_up(as<uv_getnameinfo_t>(request)); },
        [](uv_req_t* request, int status) {
            auto* name = as<uv_getnameinfo_t>(request);
            if (status < 0) name->retcode = UV_EAI_CANCELED;
            const bool is_there = name->retcode == 0;
            name->getnameinfo_cb(name, name->retcode, is_there ? name->host : nullptr,
                                 is_there ? name->service : nullptr);
        });
}

int uv_random(uv_loop_t* loop, uv_random_t* req, void* buf, size_t buflen, unsigned flags,
              uv_random_cb cb) {
    constexpr std::size_t size_max = 0x7FFFFFFF;
    if (buflen > size_max) return UV_E2BIG;
    if (flags != 0) return UV_EINVAL;
    if (cb == nullptr) return gyre::uv::fill_random(buf, buflen);
    req->type = UV_RANDOM;
    req->loop = loop;
    req->status = 0;
    req->cb = cb;
    req->buf = buf;
    req->buflen = buflen;
    return PoolRequest::start(
        loop, as_request(req),
        [](uv_req_t* request) {
            auto* random = as<uv_random_t>(request);
            random->status = gyre::uv::fill_random(random->buf, random->buflen);
        },
        [](uv_req_t* request, int status) {
            auto* random = as<uv_random_t>(request);
            if (status < 0) random->status = status;
            random->cb(random, random->status, random->buf, random->buflen);
        });
}
