import EventIO
import GatewayConfig
import GatewayCore
import HTTPInbound
import HTTPModel
import JSONBytes
import Locking

extension GatewayServer {
    /// Returns each setting with its value and where that comes from.
    var configurationAnswer: JSONLiteral {
        let configuration = current.withLock { $0.configuration }
        let report = reloads.report
        let logs = logs.settings
        var running = configuration
        (running.logLevel, running.accessLog) = (logs.level, logs.access)
        let settings = running.settingValues.map { key, text in
            let value = running.composite(key) ?? text.map { JSONLiteral(number: $0) } ?? nil
            let isOverridden =
                key == "log.level" && logs.level != configuration.logLevel
                || key == "log.access" && logs.access != configuration.accessLog
            let source = isOverridden ? "PUT /log-level" : configuration.sources[key] ?? "default"
            return (key, ["value": value, "source": JSONLiteral(source)] as JSONLiteral)
        }
        return [
            "generation": JSONLiteral(reloads.generation),
            "hash": JSONLiteral(report.map { JSONLiteral($0.hash) }),
            "settings": JSONLiteral(members: settings),
        ]
    }
}

extension GatewayServerConfiguration {
    /// Returns a value that is not one scalar in a file; nil for any other.
    fileprivate func composite(_ key: String) -> JSONLiteral? {
        switch key {
        case "listen.tls": tls.map { JSONLiteral(members: $0.members(strictTransportSecurity)) }
        case "listen.redirect":
            redirect.map { redirect in
                [
                    "port": JSONLiteral(redirect.port),
                    "to": JSONLiteral(redirect.targetPort.map { JSONLiteral($0) }),
                    "challenges": JSONLiteral(redirect.challenges.map { JSONLiteral($0) }),
                ]
            }
        case "metrics.buckets": JSONLiteral(metrics.buckets.map { JSONLiteral($0 / .seconds(1)) })
        case "hosts": hosts.map { JSONLiteral($0.names.map { JSONLiteral($0) } ?? "any") }
        case "clients.trusted": JSONLiteral(clients.trusted.networks.map { JSONLiteral("\($0)") })
        case "public": files.map { JSONLiteral($0.folder ?? "files in the program") }
        case "proxy": JSONLiteral(connections.proxy.description)
        case "noProxy":
            connections.proxy.exceptions.texts.isEmpty
                ? nil : JSONLiteral(connections.proxy.exceptions.texts)
        case "cors": cors.map(\.json)
        case "compression":
            compression.map { settings in
                ["minimum": JSONLiteral(settings.minimumSize), "streams": JSONLiteral(settings.streams)]
            } ?? "off"
        default: nil
        }
    }
}

extension TLSServerConfiguration {
    /// Paths alone: what is in memory, and passwords, are secrets.
    fileprivate func members(_ hsts: StrictTransportSecurity?) -> [(String, JSONLiteral)] {
        func path(_ pem: TLSConfiguration.PEM) -> JSONLiteral { JSONLiteral(pem.path ?? "in memory") }
        var members: [(String, JSONLiteral)] = [
            (
                "certificates",
                JSONLiteral(
                    certificates.map {
                        ["cert": path($0.certificateChain), "key": path($0.privateKey)]
                    })
            ),
            ("minimum", JSONLiteral(minimumVersion == .tls13 ? "1.3" : "1.2")),
        ]
        if let clients {
            members.append(
                (
                    "clients",
                    [
                        "ca": path(clients.authorities), "names": JSONLiteral(clients.names),
                        "require": JSONLiteral(clients.isRequired),
                    ]
                ))
        }
        members.append(("hsts", JSONLiteral(hsts?.fieldValue ?? "off")))
        return members
    }
}

extension StaticFiles {
    /// Nil for files in the program.
    fileprivate var folder: String? {
        if case .folder(let path) = source { path } else { nil }
    }
}

extension CORSPolicy {
    fileprivate var json: JSONLiteral {
        [
            "origins": JSONLiteral(origins.texts), "methods": JSONLiteral(methods.map(\.rawValue)),
            "headers": JSONLiteral(headers.map(\.description)),
            "exposedHeaders": JSONLiteral(exposedHeaders.map(\.description)),
            "maxAge": JSONLiteral(Int(maxAge / .seconds(1))), "credentials": JSONLiteral(allowsCredentials),
        ]
    }
}

extension JSONLiteral {
    /// A number if the text is a whole one, else text.
    fileprivate init(number text: String) { self = Int(text).map { JSONLiteral($0) } ?? JSONLiteral(text) }
}
