// SPDX-License-Identifier: Apache-2.0
// https for gyre serve and gyre fetch.
#include "cli/https.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "gyre/bridge/https/https.hpp"

namespace gyre::cli {
namespace {

constexpr std::size_t pem_bytes_max = std::size_t{16} << 20U;

// Throws an error of one line with the path if the file cannot be read.
tls::Pem read_pem(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               &std::fclose);
    std::string text;
    std::array<char, 4096> block{};
    while (file != nullptr) {
        const std::size_t count = std::fread(block.data(), 1, block.size(), file.get());
        if (count == 0) break;
        text.append(block.data(), count);
        if (text.size() > pem_bytes_max)
            throw std::runtime_error(path + ": too large for a PEM file");
    }
    if (file == nullptr || std::ferror(file.get()) != 0) {
        throw std::runtime_error("cannot read " + path + ": " + std::strerror(errno));
    }
    return {std::move(text), path};
}

tls::Certificate read_certificate(const CertificateAndKey& files) {
    return {read_pem(files.first), read_pem(files.second)};
}

tls::ServerOptions read_options(const ServerFiles& files, tls::TicketKey ticket_key) {
    tls::ServerOptions options{.certificates = {},
                               .protocols = {"http/1.1"},
                               .allows_old_ciphers = files.allows_old_ciphers,
                               .ticket_key = std::move(ticket_key)};
    for (const CertificateAndKey& each : files.certificates) {
        options.certificates.push_back(read_certificate(each));
    }
    if (!files.client_authority_file.empty()) {
        options.client_certificates = tls::ClientCertificates::required;
        options.authorities = read_pem(files.client_authority_file);
    }
    return options;
}

class OwnContext final : public ServerEncryption {
public:
    OwnContext(ServerFiles files, tls::TicketKey ticket_key, http::Server& server)
        : files_(std::move(files)), context_(read_options(files_, std::move(ticket_key))) {
        tls::encrypt(server, context_);
    }
    void reload(std::vector<std::byte> ticket_key) override {
        context_.reload(read_options(files_, std::move(ticket_key)));
    }

private:
    const ServerFiles files_;
    tls::Context context_;
};

}  // namespace

std::unique_ptr<http::Connector> make_connector(const Trust& trust) {
    tls::ClientOptions options{.verifies = trust.verifies};
    if (!trust.authority_file.empty()) options.authorities = read_pem(trust.authority_file);
    if (!trust.certificate.first.empty()) options.certificate = read_certificate(trust.certificate);
    return tls::https_connector(std::move(options));
}

std::unique_ptr<http::Connector> make_connector_of(const std::string& authorities,
                                                   std::unique_ptr<http::Connector> plain) {
    tls::ClientOptions options;
    if (!authorities.empty()) options.authorities = {authorities, "the authorities"};
    return tls::https_connector(std::move(options), std::move(plain));
}

std::shared_ptr<void> encrypt_with(http::Server& server, const std::string& certificate,
                                   const std::string& key) {
    tls::ServerOptions options{
        .certificates = {{{certificate, "the certificate"}, {key, "the key"}}},
        .protocols = {"http/1.1"}};
    auto context = std::make_shared<tls::Context>(std::move(options));
    tls::encrypt(server, *context);
    return context;
}

Encrypt make_encryption(const ServerFiles& files) {
    // All threads share one ticket key, because a client may reconnect to any of them.
    const tls::TicketKey ticket_key = make_ticket_key();
    const tls::Context tried(read_options(files, ticket_key));  // Fails before the server starts.
    return [files, ticket_key](http::Server& server) {
        return std::make_unique<OwnContext>(files, ticket_key, server);
    };
}

std::vector<std::byte> make_ticket_key() {
    return tls::make_ticket_key();
}

}  // namespace gyre::cli
