import EventIO
import GatewayConfig
import Networking

/// TLS settings of upstreams from `--upstream-ca`, `--upstream-cert`, `--upstream-key` and `--upstream-pin`.
enum UpstreamTLS {
    /// Returns the settings by upstream name. The gateway reads the files when it starts. A flag for an
    /// upstream without an https address would have no effect, so it is an error.
    static func configurations(
        _ arguments: ProgramArguments, of upstreams: [String: UpstreamURLs]
    ) throws(UsageError) -> [String: TLSConfiguration] {
        func values(_ flag: String, _ placeholder: String) throws(UsageError) -> [(
            name: String, value: String
        )] {
            let source = arguments.source(of: flag)
            var values: [(name: String, value: String)] = []
            for text in arguments.all(flag) {
                guard let value = UpstreamFlags.named(text) else {
                    throw UsageError(message: "\(source) takes NAME=\(placeholder), not '\(text)'")
                }
                // All URLs of an upstream have the same scheme.
                guard upstreams[value.name]?.all.first?.lowercased().hasPrefix("https://") == true else {
                    throw UsageError(
                        message: "\(source) needs an https upstream: --upstream \(value.name)=https://...")
                }
                values.append(value)
            }
            return values
        }
        func files(_ flag: String) throws(UsageError) -> [String: String] {
            var files: [String: String] = [:]
            for (name, file) in try values(flag, "FILE") where files.updateValue(file, forKey: name) != nil {
                throw UsageError(message: "\(arguments.source(of: flag)) sets '\(name)' twice")
            }
            return files
        }

        func missing(_ missing: String, for flag: String, _ name: String, _ file: String) -> UsageError {
            let needed = arguments.source(of: missing)
            return UsageError(
                message: "\(arguments.source(of: flag)) \(name)=\(file) needs \(needed) \(name)=FILE")
        }

        var configurations: [String: TLSConfiguration] = [:]
        for (name, file) in try files("upstream-ca") {
            configurations[name, default: TLSConfiguration()].trust = .authorities(.file(file))
        }
        var keys = try files("upstream-key")
        for (name, file) in try files("upstream-cert") {
            guard let key = keys.removeValue(forKey: name) else {
                throw missing("upstream-key", for: "upstream-cert", name, file)
            }
            configurations[name, default: TLSConfiguration()].identity = .init(
                certificateChain: .file(file), privateKey: .file(key))
        }
        if let (name, file) = keys.first {
            throw missing("upstream-cert", for: "upstream-key", name, file)
        }
        for (name, pin) in try values("upstream-pin", "PIN") {
            try check(pin, arguments.source(of: "upstream-pin"))
            configurations[name, default: TLSConfiguration()].pins.insert(pin)
        }
        return configurations
    }

    private static func check(_ pin: String, _ source: String) throws(UsageError) {
        var configuration = TLSConfiguration()
        // Without authorities, only the pin is checked and no file is read.
        configuration.verification = .insecureNone
        configuration.pins = [pin]
        do {
            _ = try TLSContext(configuration)
        } catch {
            throw UsageError(message: "\(source): \(error.reason)")
        }
    }
}
