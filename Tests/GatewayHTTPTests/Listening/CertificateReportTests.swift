import EventIO
import Foundation
import GatewayConfig
import Metrics
import TestSupport
import Testing

@testable import GatewayHTTP

@Suite("The expiry of certificates")
struct CertificateReportTests {
    private static let now = 1_800_000_000

    private func report(_ days: Double...) -> CertificateReport {
        CertificateReport(
            days.enumerated().map { .init(name: "\($0)", notAfter: Self.now + Int($1 * 86_400)) })
    }

    @Test("A certificate with more than 14 days is not reported")
    func enough() {
        #expect(report(14, 30, 400).notices(at: Self.now) == [])
    }

    @Test(
        "One that has expired, or will within 14 days, is reported with its whole days",
        arguments: [
            (13.9, 13, false, "expires in 13 days"), (1.5, 1, false, "expires in 1 day"),
            (0.5, 0, false, "expires within a day"), (-0.5, 0, true, "has expired"),
            (-20, -20, true, "has expired"),
        ] as [(Double, Int, Bool, String)])
    func soon(days: Double, left: Int, isOver: Bool, text: String) throws {
        let notice = try #require(report(days).notices(at: Self.now).first)
        #expect(notice.daysLeft == left)
        #expect(notice.hasExpired == isOver)
        #expect(notice.text == text)
    }

    @Test("Of certificates with one name, such as EC and RSA, the one that expires first is told")
    func sameName() {
        let report = CertificateReport([
            .init(name: "a", notAfter: 30), .init(name: "b", notAfter: 20), .init(name: "a", notAfter: 10),
        ])
        #expect(report.entries == [.init(name: "a", notAfter: 10), .init(name: "b", notAfter: 20)])
        #expect(report.readings.map(\.labels) == [["a", "server"], ["b", "server"]])
        #expect(report.readings.map(\.value) == [10, 20])
    }

    @Test("Certificates of upstreams follow, each kind for itself, and metrics have them by their upstream")
    func upstreams() throws {
        let report = CertificateReport([
            .init(name: "a", notAfter: 30), .init(name: "a", notAfter: 20, kind: .authority),
            .init(name: "a", notAfter: 10, kind: .client), .init(name: "a", notAfter: 15, kind: .authority),
        ])
        #expect(report.entries.map(\.kind) == [.server, .authority, .client])
        #expect(report.readings.map(\.value) == [30, 15, 10])
        #expect(report.readings.map(\.labels) == [["a", "server"], ["a", "authority"], ["a", "client"]])
        #expect(report.readings.map { $0.family.labels.contains("certificate") } == [true, false, false])
    }

    @Test("Of two certificates with one name each is reported with its file, and the authorities with theirs")
    func files() {
        let soon = Self.now + CertificateReport.day
        let report = CertificateReport([
            .init(name: "a", notAfter: soon, file: "/ec.pem"),
            .init(name: "a", notAfter: soon, file: "/rsa.pem"),
            .init(name: "a", notAfter: soon),
            .init(
                name: "listen.tls.clients.ca", notAfter: soon, kind: .clientAuthority, file: "/partners.pem"),
        ])
        #expect(
            report.notices(at: Self.now).map { "\($0.subject) \($0.text)" } == [
                "server certificate /ec.pem (a) expires in 1 day",
                "server certificate /rsa.pem (a) expires in 1 day", "server certificate a expires in 1 day",
                "client authority /partners.pem expires in 1 day",
            ])
        #expect(
            report.readings.map(\.labels) == [
                ["a", "server"], ["listen.tls.clients.ca", "client_authority"],
            ])
    }

    @Test("A throw-away certificate, which lives for seven days, is not reported")
    func throwAway() throws {
        let lines = try logLines { errors in
            let folder = try CertificateFolder(TestAuthority.shared.issue("DNS:localhost", days: -1...3))
            _ = try folder.serve(errors: errors, configure: { $0.throwAwayPin = "sha256//" }) { _ in }
        }
        #expect(!lines.contains { $0.contains("expires soon") })
    }

    @Test("The log warns of it, and of what is wrong with a certificate, when the gateway starts")
    func log() throws {
        let folder = try CertificateFolder(
            TestAuthority.shared.issue("DNS:app.example,DNS:other.example", days: -30 ... -1))
        try folder.write(TestAuthority.shared.issue(nil), as: "nameless", issuer: nil)
        try folder.write(
            TestAuthority.shared.issue("DNS:*.shop.example", days: -1...3, mustStaple: true), as: "shop")
        let lines = try logLines { errors in
            _ = try folder.serve(
                errors: errors,
                configure: {
                    $0.logLevel = .warning
                    $0.hosts = try? HostNames(["app.example", "a.shop.example"])
                    $0.tls?.certificates += [folder.identity("nameless"), folder.identity("shop")]
                }
            ) { _ in }
        }
        func line(_ text: String) -> Int { lines.count { $0.contains(text) } }
        #expect(line(#""message":"certificate has expired","certificate":"app.example","daysLeft":-1"#) == 1)
        #expect(
            line(#""message":"certificate expires soon","certificate":"*.shop.example","daysLeft":"#) == 1)
        let file = "server certificate \(folder.path("app.pem"))"
        #expect(
            line(
                "\(file) is for other.example, which is not among the names in hosts: requests for it get 421"
            )
                == 1)
        #expect(line("is for app.example") == 0 && line("is for *.shop.example") == 0)
        let nameless = "server certificate \(folder.path("nameless.pem"))"
        #expect(line("\(nameless) has no subjectAltName") == 1)
        #expect(line("\(nameless) has no issuer behind it") == 1)
        #expect(line("\(file) has no issuer") == 0)
        #expect(
            line(
                "server certificate \(folder.path("shop.pem")) requires a stapled OCSP response, which the "
                    + "gateway does not send, so that some clients refuse it") == 1)
        #expect(line("requires a stapled") == 1)
        #expect(line("can be read by every user") == 0)
    }

    @Test("Many names that hosts do not allow are one warning")
    func unservedNames() throws {
        let names = (0..<40).map { "DNS:h\($0).example" } + ["DNS:*.shop.example", "DNS:app.example"]
        let folder = try CertificateFolder(TestAuthority.shared.issue(names.joined(separator: ",")))
        let lines = try logLines { errors in
            _ = try folder.serve(
                errors: errors,
                configure: {
                    $0.logLevel = .warning
                    $0.hosts = try? HostNames(["app.example"])
                }
            ) { _ in }
        }
        #expect(lines.count { $0.contains("among the names in hosts") } == 1)
        #expect(
            lines.contains {
                $0.contains(
                    "is for h0.example and 40 more, which are not among the names in hosts: requests for them "
                        + "get 421")
            })
    }

    @Test("A key that every user can read causes a warning")
    func readableKey() throws {
        let folder = try CertificateFolder()
        let identity = TestAuthority.shared.issue("DNS:localhost")
        try folder.write(identity.certificate + TestAuthority.shared.pem, to: "open.pem")
        try folder.write(identity.key, to: "open.key")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: folder.path("open.key"))
        var configuration = GatewayServerConfiguration()
        configuration.hosts = .any
        let settings = TLSServerConfiguration(certificates: [folder.identity("open")])
        let tls = try ServerTLS(settings, of: configuration)
        #expect(
            tls?.warnings == [
                "server key \(folder.path("open.key")) can be read by every user of this machine: chmod 640"
            ])
        let closed = try ServerTLS(folder.settings, of: configuration)
        #expect(closed?.warnings == [])
    }
}
