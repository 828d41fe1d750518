import EventIO
import Networking

/// TLS settings of upstreams from `--upstream-ca`, `--upstream-cert`, `--upstream-key` and `--upstream-pin`.
enum UpstreamTLS {
    /// Returns the settings by upstream name. The gateway reads the files when it starts. A flag for an upstream
    /// without an https address would have no effect and is an error.
    static func configurations(
        _ arguments: ProgramArguments, of upstreams: [String: UpstreamURLs]
    ) throws(UsageError) -> [String: TLSConfiguration] {
        func values(_ flag: String, _ placeholder: String) throws(UsageError) -> [(
            name: String, value: String
        )] {
            var values: [(name: String, value: String)] = []
            for text in arguments.all(flag) {
                guard let value = UpstreamFlags.named(text) else {
                    throw UsageError(message: "--\(flag) takes NAME=\(placeholder), not '\(text)'")
                }
                // All URLs of an upstream have the same scheme.
                guard upstreams[value.name]?.all.first?.lowercased().hasPrefix("https://") == true else {
                    throw UsageError(
                        message:
                            "--\(flag) needs an https upstream: --upstream \(value.name)=https://...")
                }
                values.append(value)
            }
            return values
        }
        func files(_ flag: String) throws(UsageError) -> [String: String] {
            var files: [String: String] = [:]
            for (name, file) in try values(flag, "FILE") where files.updateValue(file, forKey: name) != nil {
                throw UsageError(message: "--\(flag) sets '\(name)' twice")
            }
            return files
        }

        var configurations: [String: TLSConfiguration] = [:]
        for (name, file) in try files("upstream-ca") {
            configurations[name, default: TLSConfiguration()].trust = .authorities(.file(file))
        }
        var keys = try files("upstream-key")
        for (name, file) in try files("upstream-cert") {
            guard let key = keys.removeValue(forKey: name) else {
                throw UsageError(message: "--upstream-cert \(name)=\(file) needs --upstream-key \(name)=FILE")
            }
            configurations[name, default: TLSConfiguration()].identity = .init(
                certificateChain: .file(file), privateKey: .file(key))
        }
        if let (name, file) = keys.first {
            throw UsageError(message: "--upstream-key \(name)=\(file) needs --upstream-cert \(name)=FILE")
        }
        for (name, pin) in try values("upstream-pin", "PIN") {
            try check(pin)
            configurations[name, default: TLSConfiguration()].pins.insert(pin)
        }
        return configurations
    }

    private static func check(_ pin: String) throws(UsageError) {
        var configuration = TLSConfiguration()
        // Without authorities, only the pin is checked and no file is read.
        configuration.verification = .insecureNone
        configuration.pins = [pin]
        do {
            _ = try TLSContext(configuration)
        } catch {
            throw UsageError(message: "--upstream-pin: \(error.reason)")
        }
    }
}
