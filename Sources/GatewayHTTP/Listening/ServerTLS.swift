import EventIO
import GatewayConfig
import Glibc
import HTTPInbound

/// TLS of a gateway's port: its certificates and authorities have been read, and fit together.
struct ServerTLS: Sendable {
    let context: TLSServerContext
    /// What the port has on each loop.
    let inbound: InboundTLS
    let report: CertificateReport
    /// What is wrong with the certificates, and does not keep clients from all of them: one line each.
    let warnings: [String]
    /// Whether its certificate was made for this start of the program (`--tls self-signed`).
    let isThrowAway: Bool

    /// Reads the files. Blocks.
    ///
    /// - Parameters:
    ///   - settings: nil for a port that speaks plain HTTP.
    ///   - configuration: has the names of the gateway, and what browsers remember.
    /// - Returns: nil without settings.
    /// - Throws: what is wrong with a file: `server key /etc/tls/app.key: Permission denied`.
    init?(
        _ settings: TLSServerConfiguration?, of configuration: GatewayServerConfiguration
    ) throws(GatewayStartError) {
        guard let settings else { return nil }
        do {
            context = try TLSServerContext(settings)
        } catch {
            throw GatewayStartError(error.reason)
        }
        inbound = InboundTLS(
            context, strictTransportSecurity: configuration.strictTransportSecurity?.fieldValue)
        report = CertificateReport(context)
        isThrowAway = configuration.throwAwayPin != nil
        let isLoopback = SocketAddress(host: configuration.host, port: 0)?.isLoopback == true
        warnings = Self.warnings(
            of: context, hosts: configuration.hosts(onLoopback: isLoopback), files: settings)
    }

    /// Refuses settings that need TLS, and others that do not fit together.
    static func check(_ configuration: GatewayServerConfiguration) throws(GatewayStartError) {
        if let fault = configuration.strictTransportSecurity?.fault {
            throw GatewayStartError("strictTransportSecurity: \(fault)")
        }
        guard configuration.tls == nil else {
            if let fault = configuration.redirectPortFault {
                throw GatewayStartError("redirect.port \(fault)")
            }
            return
        }
        if configuration.strictTransportSecurity != nil {
            throw GatewayStartError("strictTransportSecurity needs tls")
        }
        if configuration.redirect != nil { throw GatewayStartError("redirect needs tls") }
    }

    // MARK: Warnings

    private static func warnings(
        of context: TLSServerContext, hosts: HostNames, files: TLSServerConfiguration
    ) -> [String] {
        context.certificates.flatMap { certificate in
            let identity = files.certificates[certificate.index]
            // A throw-away certificate has no file. Whoever made it knows what it is.
            guard let file = identity.certificateChain.path else { return [String]() }
            let subject = "server certificate \(file)"
            var warnings: [String] = []
            if certificate.names.isEmpty {
                warnings.append("\(subject) has no subjectAltName, so that clients accept it for no name")
            }
            if certificate.mustStaple {
                warnings.append(
                    "\(subject) requires a stapled OCSP response, which the gateway does not send, so that some "
                        + "clients refuse it")
            }
            if !certificate.hasIssuer {
                warnings.append(
                    "\(subject) has no issuer behind it, so that clients refuse it which do not know the issuer: "
                        + "append its issuers (fullchain.pem)"
                )
            }
            let others = unserved(certificate, by: hosts)
            if let name = others.first {
                warnings.append(
                    others.count == 1
                        ? "\(subject) is for \(name), which is not among the names in hosts: requests for it get 421"
                        : "\(subject) is for \(name) and \(others.count - 1) more, which are not among the names in "
                            + "hosts: requests for them get 421")
            }
            if let key = identity.privateKey.path, isReadableByAll(key) {
                warnings.append("server key \(key) can be read by every user of this machine: chmod 640")
            }
            return warnings
        }
    }

    /// Returns the names of a certificate for which no request is served.
    private static func unserved(_ certificate: ServerCertificate, by hosts: HostNames) -> [String] {
        certificate.dnsNames.filter { name in
            guard name.hasPrefix("*.") else { return !hosts.allows(Array(name.utf8)[...]) }
            // Some name below the asterisk is enough.
            return hosts.names?.contains { served in
                served == name || ServerCertificate.covers(name, host: served)
                    || served.hasPrefix("*.") && name.hasSuffix(served.dropFirst())
            } == false
        }
    }

    private static func isReadableByAll(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IROTH != 0
    }
}
