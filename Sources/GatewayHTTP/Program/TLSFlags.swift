import ASCIIText
import EventIO
import GatewayConfig
import Locking

/// The flags about TLS for clients: `--tls-cert`, `--tls-key`, `--tls` and others that need them.
enum TLSFlags {
    /// What `--tls` takes.
    private static let selfSigned = "self-signed"

    /// Applies the flags. Those that are not set change nothing.
    static func apply(
        _ arguments: ProgramArguments, to configuration: inout GatewayServerConfiguration
    ) throws(UsageError) {
        if let certificates = try certificates(arguments) {
            change(&configuration) { $0.certificates = certificates }
            configuration.throwAwayPin = nil
        }
        if let made = try throwAway(arguments, for: configuration.host) {
            change(&configuration) { $0.certificates = [made.identity] }
            configuration.throwAwayPin = made.pin
        }
        try applyPolicies(arguments, to: &configuration)
        try applyOthers(arguments, to: &configuration)
    }

    private static func change(
        _ configuration: inout GatewayServerConfiguration, _ change: (inout TLSServerConfiguration) -> Void
    ) {
        var tls = configuration.tls ?? TLSServerConfiguration(certificates: [])
        change(&tls)
        configuration.tls = tls
    }

    // MARK: Certificates

    private static func certificates(
        _ arguments: ProgramArguments
    ) throws(UsageError) -> [TLSConfiguration.Identity]? {
        let (certificates, keys) = (arguments.all("tls-cert"), arguments.all("tls-key"))
        let (source, keySource) = (arguments.source(of: "tls-cert"), arguments.source(of: "tls-key"))
        guard certificates.count == keys.count else {
            throw UsageError(
                message: "\(source) is given \(times(certificates.count)) and \(keySource) "
                    + "\(times(keys.count)): they are paired in order")
        }
        guard !certificates.isEmpty else { return nil }
        let range = GatewayServerConfiguration.Ranges.certificates
        guard range.contains(certificates.count) else {
            throw UsageError(message: "\(source) takes at most \(range.upperBound) certificates")
        }
        for (name, files) in [("tls-cert", certificates), ("tls-key", keys)] where files.contains("") {
            throw UsageError(message: "\(arguments.source(of: name)) needs a file")
        }
        return zip(certificates, keys).map { certificate, key in
            TLSConfiguration.Identity(certificateChain: .file(certificate), privateKey: .file(key))
        }
    }

    private static func times(_ count: Int) -> String {
        switch count {
        case 0: "never"
        case 1: "once"
        case 2: "twice"
        default: "\(count) times"
        }
    }

    /// The throw-away certificates of the process, by the address of the listener. A reload and the servers
    /// of the demo use the same one.
    private static let made = Lock<[String: SelfSignedCertificate]>([:])

    private static func throwAway(
        _ arguments: ProgramArguments, for host: String
    ) throws(UsageError) -> SelfSignedCertificate? {
        guard let text = arguments.string("tls") else { return nil }
        let source = arguments.source(of: "tls")
        guard text == selfSigned else {
            throw UsageError(
                message: "\(source) takes \(selfSigned), not '\(text)'; --tls-cert and --tls-key take files")
        }
        guard arguments.all("tls-cert").isEmpty else {
            throw UsageError(
                message: "\(source) \(selfSigned) does not go with \(arguments.source(of: "tls-cert"))")
        }
        if let known = made.withLock({ $0[host] }) { return known }
        do {
            // Nobody calls a gateway by the address of all interfaces.
            let certificate = try SelfSignedCertificate(
                hosts: ["0.0.0.0", "::"].contains(host) ? [] : [host])
            return made.withLock { made in
                if let first = made[host] { return first }
                made[host] = certificate
                return certificate
            }
        } catch {
            throw UsageError(message: "\(source) \(selfSigned): \(error.reason)", isAboutFile: true)
        }
    }

    /// Refuses what the program and its file say together: a throw-away certificate on an address that others
    /// reach, and one port for both listeners.
    static func check(
        _ configuration: GatewayServerConfiguration, _ arguments: ProgramArguments
    ) throws(UsageError) {
        try checkThrowAway(configuration, arguments)
        guard arguments.string("redirect-port") != nil || arguments.string("port") != nil,
            let fault = configuration.redirectPortFault
        else { return }
        let isFlag = arguments.string("redirect-port") != nil
        throw UsageError(
            message: "\(isFlag ? arguments.source(of: "redirect-port") : "listen.redirect.port") \(fault)")
    }

    /// Refuses a throw-away certificate on an address that other machines reach: whoever is on the way could
    /// show another one.
    private static func checkThrowAway(
        _ configuration: GatewayServerConfiguration, _ arguments: ProgramArguments
    ) throws(UsageError) {
        guard configuration.throwAwayPin != nil,
            SocketAddress(host: configuration.host, port: 0)?.isLoopback != true
        else { return }
        throw UsageError(
            message: "\(arguments.source(of: "tls")) \(selfSigned) needs a loopback address, not "
                + "\(configuration.host); use --tls-cert and --tls-key")
    }

    // MARK: Policies

    private static func applyPolicies(
        _ arguments: ProgramArguments, to configuration: inout GatewayServerConfiguration
    ) throws(UsageError) {
        if let text = arguments.string("tls-minimum") {
            let versions: [String: TLSConfiguration.Version] = ["1.2": .tls12, "1.3": .tls13]
            guard let version = versions[text] else {
                throw UsageError(
                    message: "\(arguments.source(of: "tls-minimum")) takes 1.2 or 1.3, not '\(text)'")
            }
            try needTLS("tls-minimum", arguments, configuration)
            change(&configuration) { $0.minimumVersion = version }
        }
        if let file = arguments.string("tls-client-ca") {
            guard !file.isEmpty else {
                throw UsageError(message: "\(arguments.source(of: "tls-client-ca")) needs a file")
            }
            try needTLS("tls-client-ca", arguments, configuration)
            change(&configuration) { tls in
                var clients = tls.clients ?? TLSServerConfiguration.Clients(authorities: .file(file))
                clients.authorities = .file(file)
                tls.clients = clients
            }
        }
        if let text = arguments.string("tls-client-names") {
            let source = arguments.source(of: "tls-client-names")
            let names = text.split(separator: ",", omittingEmptySubsequences: false).map {
                ProgramArguments.trimmed($0)
            }
            for name in names {
                if let fault = CertificateNames.fault(of: name) {
                    throw UsageError(
                        message: "\(source) takes names separated by commas: '\(name)' \(fault)")
                }
            }
            try needAuthorities("tls-client-names", arguments, configuration)
            change(&configuration) { $0.clients?.names = names }
        }
        if let text = arguments.string("tls-client-auth") {
            guard ["require", "optional"].contains(text) else {
                throw UsageError(
                    message:
                        "\(arguments.source(of: "tls-client-auth")) takes require or optional, not '\(text)'")
            }
            try needAuthorities("tls-client-auth", arguments, configuration)
            change(&configuration) { $0.clients?.isRequired = text == "require" }
        }
    }

    private static func applyOthers(
        _ arguments: ProgramArguments, to configuration: inout GatewayServerConfiguration
    ) throws(UsageError) {
        if let port = try arguments.integer("redirect-port", in: GatewayServerConfiguration.Ranges.port) {
            try needTLS("redirect-port", arguments, configuration)
            configuration.redirect = configuration.redirect ?? RedirectSettings(port: port)
            configuration.redirect?.port = port
        }
        if let port = try arguments.integer("redirect-to", in: GatewayServerConfiguration.Ranges.targetPort) {
            guard configuration.redirect != nil else {
                throw UsageError(
                    message: "\(arguments.source(of: "redirect-to")) needs --redirect-port PORT")
            }
            configuration.redirect?.targetPort = port
        }
        guard let text = arguments.string("hsts") else { return }
        guard text != "off" else {
            configuration.strictTransportSecurity = nil
            return
        }
        let most = Int(StrictTransportSecurity.maxAges.upperBound / .seconds(1))
        guard let seconds = Int(text), (0...most).contains(seconds) else {
            throw UsageError(
                message:
                    "\(arguments.source(of: "hsts")) takes off or seconds from 0 to \(most), not '\(text)'")
        }
        try needTLS("hsts", arguments, configuration)
        var policy = configuration.strictTransportSecurity ?? StrictTransportSecurity(maxAge: .zero)
        policy.maxAge = .seconds(seconds)
        if let fault = policy.fault { throw UsageError(message: "\(arguments.source(of: "hsts")): \(fault)") }
        configuration.strictTransportSecurity = policy
    }

    private static func needTLS(
        _ flag: String, _ arguments: ProgramArguments, _ configuration: GatewayServerConfiguration
    ) throws(UsageError) {
        guard configuration.tls == nil else { return }
        throw UsageError(
            message:
                "\(arguments.source(of: flag)) needs TLS: --tls-cert and --tls-key, or --tls \(selfSigned)")
    }

    private static func needAuthorities(
        _ flag: String, _ arguments: ProgramArguments, _ configuration: GatewayServerConfiguration
    ) throws(UsageError) {
        guard configuration.tls?.clients == nil else { return }
        throw UsageError(message: "\(arguments.source(of: flag)) needs --tls-client-ca FILE")
    }
}

extension ServeFlags {
    /// TLS for clients.
    var secure: [ProgramFlag] {
        let isInCode = defaults.tls != nil
        let fallback = isInCode ? "the settings in the code" : "none"
        let protecting = [
            ProgramFlag(
                name: "tls-cert", placeholder: "FILE",
                help:
                    "the certificate of the port, which speaks TLS then, and behind it its issuers, in PEM; "
                    + "repeat it with --tls-key for more names", fallback: fallback, mayRepeat: true),
            ProgramFlag(
                name: "tls-key", placeholder: "FILE", help: "private key of the certificate, in PEM",
                fallback: fallback, mayRepeat: true),
            ProgramFlag(
                name: "tls", placeholder: "self-signed",
                help: "speak TLS with a throw-away certificate for localhost, in memory and for seven days",
                fallback: "none"),
            ProgramFlag(
                name: "tls-minimum", placeholder: "1.2|1.3", help: "lowest version of TLS",
                fallback: defaults.tls?.minimumVersion == .tls13 ? "1.3" : "1.2"),
            ProgramFlag(
                name: "tls-client-ca", placeholder: "FILE",
                help: "authorities of clients' certificates, in PEM: clients are asked for one",
                fallback: fallback),
            ProgramFlag(
                name: "tls-client-names", placeholder: "NAMES",
                help: "names of which a client's certificate must have one, separated by commas: DNS names, "
                    + "*.example.com, URIs", fallback: "any"),
            ProgramFlag(
                name: "tls-client-auth", placeholder: "require|optional",
                help: "whether a client without a certificate is refused in the handshake",
                fallback: defaults.tls?.clients?.isRequired == false ? "optional" : "require"),
        ]
        return protecting.map(\.protecting) + [
            ProgramFlag(
                name: "redirect-port", placeholder: "PORT",
                help: "port for plain HTTP that redirects to https, and answers health checks",
                fallback: defaults.redirect.map { "\($0.port)" } ?? "none"),
            ProgramFlag(
                name: "redirect-to", placeholder: "PORT",
                help: "port that the redirect names, if clients reach the gateway by another one than --port",
                fallback: defaults.redirect?.targetPort.map { "\($0)" } ?? "the gateway's own port"),
            ProgramFlag(
                name: "hsts", placeholder: "off|SECONDS",
                help: "how long browsers call the name by https alone (Strict-Transport-Security)",
                fallback: defaults.strictTransportSecurity.map { "\($0.maxAge.components.seconds)" } ?? "off"
            ).protecting,
        ]
    }
}
