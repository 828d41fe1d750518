import EventIO
import GatewayConfig
import GatewayCore
import HTTPModel

/// Who may use an address of the admin listener. The listener decides, not the client's address: the requests
/// of a proxy on the same machine come from loopback, too.
struct AdminAccess {
    private let token: AdminToken?
    private let address: SocketAddress

    init(to address: SocketAddress, token: AdminToken?) {
        self.address = address
        self.token = token
    }

    /// - Parameters:
    ///   - head: the request.
    ///   - isOpen: whether the path needs no token.
    ///   - hosts: the names of the gateway.
    func check(_ head: HTTPRequestHead, isOpen: Bool, hosts: HostNames?) throws(GatewayError) {
        // A Unix-domain socket counts as loopback, but no web page can connect to it.
        if address.isLoopback, !address.isUnix { try checkHost(head, hosts) }
        try checkOrigin(head)
        if !isOpen { try checkToken(head.fields) }
    }

    /// Keeps out web pages whose names have been made to resolve to a loopback address (DNS rebinding). They
    /// name themselves in Host.
    private func checkHost(_ head: HTTPRequestHead, _ hosts: HostNames?) throws(GatewayError) {
        // HTTP/1.0 does not require Host; without one the name cannot be foreign.
        guard let authority = head.authorityBytes, !HostNames.localhost.allows(authority) else { return }
        // A gateway with any name has no list.
        if let hosts, hosts != .any, hosts.allows(authority) { return }
        throw GatewayError(
            .misdirected, "The admin listener does not answer for the host '\(HostNames.shown(authority))'")
    }

    /// Keeps out requests that web pages of other origins make.
    private func checkOrigin(_ head: HTTPRequestHead) throws(GatewayError) {
        let own = head.authorityBytes.map { String(decoding: $0, as: UTF8.self).lowercased() }
        for origin in head.fields.values(of: .origin) {
            // A proxy may have taken off TLS.
            guard let own, ["http://\(own)", "https://\(own)"].contains(origin.lowercased()) else {
                throw .forbidden("A page of another origin must not use the admin listener")
            }
        }
        guard !head.fields.values(of: "Sec-Fetch-Site").contains("cross-site") else {
            throw .forbidden("A page of another site must not use the admin listener")
        }
    }

    private func checkToken(_ fields: HTTPFields) throws(GatewayError) {
        guard let token else {
            guard address.isLoopback else {
                throw .forbidden(
                    "Without a token this address answers only health checks; start the gateway with "
                        + "--admin-token-file, or ask a loopback or Unix address")
            }
            return
        }
        let values = fields.valueBytes(of: .authorization)
        guard values.count == 1, let value = values.first else {
            throw .unauthorized("This address needs the admin token: Authorization: Bearer TOKEN")
        }
        let scheme = value.prefix { $0 != UInt8(ascii: " ") }
        // RFC 9110 11.1: the scheme is compared without case.
        guard String(decoding: scheme, as: UTF8.self).lowercased() == "bearer",
            token.matches(value.dropFirst(scheme.count).drop { $0 == UInt8(ascii: " ") })
        else {
            throw .unauthorized("This is not the admin token", challenge: "Bearer error=\"invalid_token\"")
        }
    }
}
