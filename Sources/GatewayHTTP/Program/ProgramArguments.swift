/// An error in the command line. The program prints it and exits with code 2.
public struct UsageError: Error, Equatable {
    /// What is wrong with the command line.
    public var message: String
    /// Whether the flags are right, but a file or folder that they name cannot be used. Then the exit code
    /// is 1.
    public var isAboutFile = false

    /// - Parameters:
    ///   - message: what is wrong, with the name of the flag or its variable
    ///     (`ProgramArguments.source(of:)`): `--region takes eu or us, not 'EU'`.
    ///   - isAboutFile: whether a file or folder cannot be used, and the flags are right.
    public init(message: String, isAboutFile: Bool = false) {
        self.message = message
        self.isAboutFile = isAboutFile
    }
}

/// A parsed command line. A flag takes precedence over its environment variable, which is then not read.
public struct ProgramArguments: Sendable, Equatable {
    private var values: [String: [String]] = [:]
    /// The variables that values come from, by the name of the flag.
    private var variables: [String: String] = [:]
    /// The flags of the command line without a value.
    private var bare: Set<String> = []
    /// The variables of OpenTelemetry, which no flag has.
    package private(set) var telemetry: [String: String] = [:]
    /// The arguments without a flag.
    package private(set) var positionals: [String] = []
    package var positional: String? { positionals.first }

    /// `words` follow the command's name; `--flag value` and `--flag=value` mean the same. `environment` has
    /// the values of flags that are not in `words`; empty variables and links to Kubernetes Services are
    /// ignored. An empty variable of a flag that protects the gateway is an error.
    package init(
        _ words: some Sequence<String>, for command: CommandSpecification, environment: [String: String]
    ) throws(UsageError) {
        var words = Array(words)[...]
        while let word = words.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                guard command.takes(positionals.count + 1) else {
                    throw UsageError(message: "unexpected argument '\(word)'")
                }
                positionals.append(word)
                continue
            }
            let (name, attached) = Self.split(word)
            guard let flag = command.flags.first(where: { "--\($0.name)" == name }) else {
                if let hint = command.retired[String(name.dropFirst(2))] {
                    throw UsageError(message: "\(name) is gone: \(hint)")
                }
                throw UsageError(message: "unknown flag '\(name)'")
            }
            if flag.mayOmitValue, attached == nil, words.first?.hasPrefix("-") ?? true {
                bare.insert(flag.name)
                continue
            }
            guard let value = attached ?? words.popFirst() else {
                throw UsageError(message: "\(name) needs a value: \(flag.placeholder)")
            }
            guard flag.mayRepeat || values[flag.name] == nil else {
                throw UsageError(message: "\(name) may be set only once")
            }
            values[flag.name, default: []].append(value)
        }
        telemetry = environment.filter { $0.key.hasPrefix("OTEL_") }
        for flag in command.flags where values[flag.name] == nil {
            let variable = flag.environmentName
            guard let value = environment[variable], !Self.isServiceLink(variable, value) else { continue }
            guard !value.isEmpty else {
                guard flag.protects else { continue }
                throw UsageError(
                    message: "\(variable) is empty: set it to \(flag.placeholder), or remove the variable")
            }
            values[flag.name] =
                flag.mayRepeat ? value.split(separator: ",").map { Self.trimmed($0) } : [value]
            variables[flag.name] = variable
        }
    }

    /// Whether Kubernetes set the variable: a Service named `sluice` sets `SLUICE_PORT=tcp://10.0.0.1:8080`
    /// in every container of its namespace that starts later, and one named `sluice-db` sets
    /// `SLUICE_DB_PORT`.
    private static func isServiceLink(_ variable: String, _ value: String) -> Bool {
        variable.hasSuffix("_PORT") && ["tcp://", "udp://", "sctp://"].contains { value.hasPrefix($0) }
    }

    /// Returns the flags of the command line, without those that variables set.
    package var withoutVariables: ProgramArguments { without(variables: Set(variables.keys)) }

    /// Returns the flags, leaving out flags of these names that variables set.
    package func without(variables names: Set<String>) -> ProgramArguments {
        var some = self
        for name in names where some.variables.removeValue(forKey: name) != nil {
            some.values[name] = nil
        }
        return some
    }

    /// Returns where the value of a flag comes from, for messages: `--region`, or `SLUICE_REGION` if its
    /// variable set it.
    public func source(of name: String) -> String { variables[name] ?? "--\(name)" }

    /// Whether the value of a flag comes from its variable.
    package func isFromVariable(_ name: String) -> Bool { variables[name] != nil }

    /// Whether the command line has the flag, with or without a value.
    package func isGiven(_ name: String) -> Bool {
        bare.contains(name) || (values[name] != nil && !isFromVariable(name))
    }

    package static func trimmed(_ text: Substring) -> String {
        let head = text.drop { $0 == " " }
        return String(head.reversed().drop { $0 == " " }.reversed())
    }

    private static func split(_ word: String) -> (name: String, value: String?) {
        guard let equals = word.firstIndex(of: "=") else { return (word, nil) }
        return (String(word[..<equals]), String(word[word.index(after: equals)...]))
    }

    /// The value of the flag with this name, without its dashes; nil if it is not set.
    public func string(_ name: String) -> String? { values[name]?.last }

    /// All values of a flag that may be repeated, in their order.
    public func all(_ name: String) -> [String] { values[name] ?? [] }

    /// Returns a whole number; nil if the flag is not set.
    public func integer(_ name: String, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = string(name) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw UsageError(
                message: "\(source(of: name)) takes a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound), not '\(text)'")
        }
        return value
    }

    /// Returns whether a flag is `on`; nil if it is not set.
    public func isOn(_ name: String) throws(UsageError) -> Bool? {
        switch string(name) {
        case nil: nil
        case "on": true
        case "off": false
        case let text?: throw UsageError(message: "\(source(of: name)) takes on or off, not '\(text)'")
        }
    }

    /// Returns a number of seconds, which may have a fraction; nil if the flag is not set.
    public func seconds(_ name: String, in range: ClosedRange<Double>) throws(UsageError) -> Duration? {
        guard let text = string(name) else { return nil }
        guard let value = Double(text), range.contains(value) else {
            throw UsageError(
                message: "\(source(of: name)) takes seconds from \(range.lowerBound) to \(range.upperBound), "
                    + "not '\(text)'")
        }
        return .milliseconds(Int64((value * 1000).rounded()))
    }
}
