import EventIO
import Glibc
import JSONBytes
import Metrics
import NetworkingSession

/// When certificates expire, and which of them have to be renewed.
struct CertificateReport: Sendable {
    enum Kind: String, Sendable {
        /// The gateway's own.
        case server
        /// Of the gateway's clients: the first one of their authorities that expires.
        case clientAuthority = "client_authority"
        /// Shown to an upstream: the first one of its chain that expires.
        case client
        /// Of an upstream: the first one of its authorities that expires.
        case authority
    }

    struct Entry: Sendable, Equatable {
        /// The first name of a server's certificate, or its subject without one. The name of the upstream, or
        /// the key of the file, for the others.
        let name: String
        /// In seconds since 1970.
        let notAfter: Int
        var kind = Kind.server
        /// Nil for a certificate that the code has.
        var file: String?
    }

    /// What an operator should do something about.
    struct Notice: Sendable, Equatable {
        let name: String
        /// Whole days that are left; 0 or less once it has expired.
        let daysLeft: Int
        let hasExpired: Bool
        let kind: Kind
        let file: String?
    }

    /// A certificate with less time than this is due for renewal: ACME clients renew 30 days before.
    static let notice = 14 * day
    static let day = 86_400
    /// How often the log says so.
    static let interval = Duration.seconds(86_400)

    /// In the order of the settings. Of certificates with the same name and kind, such as one with an EC and
    /// one with an RSA key, the one that expires first.
    let entries: [Entry]
    /// Each certificate.
    private let certificates: [Entry]

    /// The gateway's own.
    ///
    /// - Parameter context: has read the certificates and the authorities.
    init(_ context: TLSServerContext) {
        let files = context.configuration
        var entries = context.certificates.map { certificate in
            Entry(
                name: certificate.names.first ?? certificate.subject, notAfter: certificate.notAfter,
                file: files.certificates[certificate.index].certificateChain.path)
        }
        if let expiry = context.authorityExpiry {
            entries.append(
                Entry(
                    name: "listen.tls.clients.ca", notAfter: expiry, kind: .clientAuthority,
                    file: files.clients?.authorities.path))
        }
        self.init(entries)
    }

    /// Of the gateway and of its upstreams.
    init(_ generation: Generation) {
        let own = generation.tls?.report ?? CertificateReport([Entry]())
        self = own.with(generation.routes.certificateExpiries(of: generation.upstreams))
    }

    init(_ certificates: [Entry]) {
        self.certificates = certificates
        var entries: [Entry] = []
        for entry in certificates {
            let known = entries.firstIndex { $0.name == entry.name && $0.kind == entry.kind }
            guard let index = known else {
                entries.append(entry)
                continue
            }
            if entry.notAfter < entries[index].notAfter { entries[index] = entry }
        }
        self.entries = entries
    }

    /// Returns these certificates, and then the certificates for upstreams, in the order of their names.
    func with(_ upstreams: [String: CertificateExpiries]) -> CertificateReport {
        let others = upstreams.sorted { $0.key < $1.key }.flatMap { upstream, expiries in
            [(Kind.client, expiries.client), (.authority, expiries.authority)].compactMap { kind, expiry in
                expiry.map { Entry(name: upstream, notAfter: $0, kind: kind) }
            }
        }
        return CertificateReport(certificates + others)
    }

    /// Returns the certificates that have expired, or will soon.
    ///
    /// - Parameter now: seconds since 1970.
    func notices(at now: Int) -> [Notice] {
        certificates.compactMap { entry in
            let left = entry.notAfter - now
            guard left < Self.notice else { return nil }
            return Notice(
                name: entry.name, daysLeft: left / Self.day, hasExpired: left < 0, kind: entry.kind,
                file: entry.file)
        }
    }

    /// The values for metrics.
    var readings: [MetricReading] {
        entries.map { entry in
            let family: MetricFamily =
                switch entry.kind {
                case .server, .clientAuthority: .serverCertificateExpiry
                case .client, .authority: .certificateExpiry
                }
            return MetricReading(family, Double(entry.notAfter), [entry.name, entry.kind.rawValue])
        }
    }

    /// - Parameter now: seconds since 1970.
    func json(at now: Int) -> JSONLiteral {
        JSONLiteral(
            entries.map { entry in
                [
                    "name": JSONLiteral(entry.name), "kind": JSONLiteral(entry.kind.rawValue),
                    "notAfter": JSONLiteral(entry.notAfter),
                    "secondsLeft": JSONLiteral(entry.notAfter - now),
                ]
            })
    }

    /// Seconds since 1970.
    static var now: Int { Int(time(nil)) }
}

extension CertificateReport.Notice {
    /// The certificate, by its file and its name: `server certificate /etc/tls/app.pem (app.example.com)`.
    var subject: String {
        switch kind {
        case .server: file.map { "server certificate \($0) (\(name))" } ?? "server certificate \(name)"
        case .clientAuthority: file.map { "client authority \($0)" } ?? "client authority"
        case .client: "client certificate for \(name)"
        case .authority: "authority of \(name)"
        }
    }

    /// Completes `server certificate app.example.com ...`.
    var text: String {
        if hasExpired { return "has expired" }
        return daysLeft == 0
            ? "expires within a day" : "expires in \(daysLeft) day\(daysLeft == 1 ? "" : "s")"
    }
}

extension Log {
    /// Warns of what is wrong with the certificates. They serve nevertheless.
    func report(_ tls: ServerTLS) {
        for warning in tls.warnings { write(.warning, "certificate problem", ["what": warning]) }
        reportExpiry(of: tls)
    }

    /// Warns of certificates that have expired, or will soon. Whoever made a throw-away certificate knows.
    func reportExpiry(of tls: ServerTLS, at now: Int = CertificateReport.now) {
        guard !tls.isThrowAway else { return }
        for notice in tls.report.notices(at: now) {
            write(
                .warning, notice.hasExpired ? "certificate has expired" : "certificate expires soon",
                [
                    "certificate": notice.name, "daysLeft": notice.daysLeft, "kind": notice.kind.rawValue,
                    "file": notice.file,
                ])
        }
    }
}
