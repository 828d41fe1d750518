import EndpointPlans
import EventIO
import GatewayConfig

/// TLS for clients, as a file has it.
struct FileTLS {
    private let document: ConfigDocument
    private let settings: TLSServerConfiguration?

    init(_ document: ConfigDocument) {
        self.document = document
        settings = document.settings.tls
    }

    /// Reads the certificates and keys, and finds the first that cannot be used. Blocks.
    func check(_ faults: inout FileFaults) {
        guard let settings else { return }
        do {
            _ = try TLSServerContext(settings)
        } catch {
            faults.add(error.reason, at: place(of: error.reason))
        }
    }

    /// What an operator should know of certificates that can be used. Reads them, which blocks.
    var warnings: [ConfigProblem] {
        guard let tls = try? ServerTLS(settings, of: document.settings) else { return [] }
        let expiry = tls.report.notices(at: CertificateReport.now).map { "\($0.subject) \($0.text)" }
        return (tls.warnings + expiry).map { warning in
            document.problem(.warning, document.redacted(warning), at: place(of: warning))
        }
    }

    /// The place of the file that a message names: `server key /etc/tls/app.key: ...`. Without one, the place
    /// of all settings.
    private func place(of message: String) -> ConfigPlace {
        let places = document.changes.places.filter { $0.key.hasPrefix("listen.tls") }
        let isList = document.changes.has("listen.tls.certificates")
        var keys: [(key: String, path: String?)] = [
            ("listen.tls.clients.ca", settings?.clients?.authorities.path)
        ]
        for (index, identity) in (settings?.certificates ?? []).enumerated() {
            let prefix = isList ? "listen.tls.certificates[\(index)]" : "listen.tls"
            keys.append(("\(prefix).cert", identity.certificateChain.path))
            keys.append(("\(prefix).key", identity.privateKey.path))
        }
        let named = keys.filter { key in
            key.path.map { message.contains(" \($0)") } == true
                && places.contains { $0.key == key.key }
        }
        // The longest path, because it may begin with another one; the first of several files.
        let start = named.min { one, other in
            let starts = [one, other].map { message.firstRange(of: " \($0.path ?? "")")?.lowerBound }
            guard let first = starts[0], let second = starts[1], first == second else {
                return (starts[0] ?? message.endIndex) < (starts[1] ?? message.endIndex)
            }
            return (one.path?.count ?? 0) > (other.path?.count ?? 0)
        }
        let place = start.flatMap { start in places.first { $0.key == start.key }?.place }
        return place ?? places.first?.place ?? ConfigPlace(file: 0, line: 1, column: 1)
    }
}
