import GatewayHTTP

/// How upstreams are told to be connected to by `--upstream-ca`, `--upstream-cert`, `--upstream-key` and `--upstream-pin`.
enum UpstreamTLS {
    /// By the name of each upstream that one of the flags names. Files are read as the gateway starts.
    ///
    /// - Parameter upstreams: their addresses, by `--upstream`: what is said of one that is not among them at https would
    ///   be without effect.
    static func configurations(
        _ arguments: Arguments, of upstreams: [String: String]
    ) throws(UsageError) -> [String: TLSConfiguration] {
        func values(_ flag: String, _ placeholder: String) throws(UsageError) -> [(
            name: String, value: String
        )] {
            var values: [(name: String, value: String)] = []
            for text in arguments.all(flag) {
                guard let value = Command.named(text) else {
                    throw UsageError(message: "--\(flag) takes NAME=\(placeholder), not '\(text)'")
                }
                guard upstreams[value.name]?.lowercased().hasPrefix("https://") == true else {
                    throw UsageError(
                        message:
                            "--\(flag) is for https, and --upstream \(value.name)=https://... is not given")
                }
                values.append(value)
            }
            return values
        }
        func files(_ flag: String) throws(UsageError) -> [String: String] {
            var files: [String: String] = [:]
            for (name, file) in try values(flag, "FILE") where files.updateValue(file, forKey: name) != nil {
                throw UsageError(message: "--\(flag) names '\(name)' twice")
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
                throw UsageError(message: "--upstream-cert \(name)=\(file) is without its --upstream-key")
            }
            configurations[name, default: TLSConfiguration()].identity = .init(
                certificateChain: .file(file), privateKey: .file(key))
        }
        if let (name, file) = keys.first {
            throw UsageError(message: "--upstream-key \(name)=\(file) is without its --upstream-cert")
        }
        for (name, pin) in try values("upstream-pin", "PIN") {
            try check(pin)
            configurations[name, default: TLSConfiguration()].pins.insert(pin)
        }
        return configurations
    }

    private static func check(_ pin: String) throws(UsageError) {
        var configuration = TLSConfiguration()
        // Nothing else is to be read than the pin.
        configuration.verification = .insecureNone
        configuration.pins = [pin]
        do {
            _ = try TLSContext(configuration)
        } catch {
            throw UsageError(message: "--upstream-pin: \(error.reason)")
        }
    }
}
