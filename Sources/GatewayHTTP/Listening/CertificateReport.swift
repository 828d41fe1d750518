import EventIO
import Glibc
import JSONBytes
import Metrics

/// When the certificates expire that clients see, and which of them have to be renewed.
struct CertificateReport: Sendable {
    struct Entry: Sendable, Equatable {
        /// The certificate's first name; its subject without one.
        let name: String
        /// In seconds since 1970.
        let notAfter: Int
    }

    /// What an operator should do something about.
    struct Notice: Sendable, Equatable {
        let name: String
        /// Whole days that are left; 0 or less once it has expired.
        let daysLeft: Int
        let hasExpired: Bool
    }

    /// A certificate with less time than this is due for renewal: ACME clients renew 30 days before.
    static let notice = 14 * day
    static let day = 86_400
    /// How often the log says so.
    static let interval = Duration.seconds(86_400)

    /// In the order of the settings. Of certificates with the same name, such as one with an EC and one with
    /// an RSA key, the one that expires first.
    let entries: [Entry]

    init(_ certificates: [ServerCertificate]) {
        self.init(
            certificates.map { Entry(name: $0.names.first ?? $0.subject, notAfter: $0.notAfter) })
    }

    init(_ certificates: [Entry]) {
        var entries: [Entry] = []
        for entry in certificates {
            guard let index = entries.firstIndex(where: { $0.name == entry.name }) else {
                entries.append(entry)
                continue
            }
            if entry.notAfter < entries[index].notAfter { entries[index] = entry }
        }
        self.entries = entries
    }

    /// Returns the certificates that have expired, or will soon.
    ///
    /// - Parameter now: seconds since 1970.
    func notices(at now: Int) -> [Notice] {
        entries.compactMap { entry in
            let left = entry.notAfter - now
            guard left < Self.notice else { return nil }
            return Notice(name: entry.name, daysLeft: left / Self.day, hasExpired: left < 0)
        }
    }

    /// The values for metrics.
    var readings: [MetricReading] {
        entries.map {
            MetricReading(.serverCertificateExpiry, Double($0.notAfter), [$0.name, "server"])
        }
    }

    /// - Parameter now: seconds since 1970.
    func json(at now: Int) -> JSONLiteral {
        JSONLiteral(
            entries.map { entry in
                [
                    "name": JSONLiteral(entry.name), "notAfter": JSONLiteral(entry.notAfter),
                    "secondsLeft": JSONLiteral(entry.notAfter - now),
                ]
            })
    }

    /// Seconds since 1970.
    static var now: Int { Int(time(nil)) }
}

extension CertificateReport.Notice {
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
        reportExpiry(of: tls.report)
    }

    /// Warns of certificates that have expired, or will soon.
    func reportExpiry(of report: CertificateReport, at now: Int = CertificateReport.now) {
        for notice in report.notices(at: now) {
            write(
                .warning, notice.hasExpired ? "certificate has expired" : "certificate expires soon",
                ["certificate": notice.name, "daysLeft": notice.daysLeft])
        }
    }
}
