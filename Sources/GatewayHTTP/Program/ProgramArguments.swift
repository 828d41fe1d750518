/// An error in the command line. The program prints it and exits with code 2.
public struct UsageError: Error, Equatable {
    public var message: String
    /// Whether the flags are right, but a file or folder that they name cannot be used. Then the exit code is 1.
    public var isAboutFile = false

    /// - Parameters:
    ///   - message: what is wrong, with the flag's name: `--region takes eu or us, not 'EU'`.
    ///   - isAboutFile: whether a file or folder cannot be used, and the flags are right.
    public init(message: String, isAboutFile: Bool = false) {
        self.message = message
        self.isAboutFile = isAboutFile
    }
}

/// A parsed command line. A flag takes precedence over its environment variable.
public struct ProgramArguments: Sendable, Equatable {
    private var values: [String: [String]] = [:]
    /// The names of flags whose values come from variables.
    private var variables: Set<String> = []
    /// The arguments without a flag.
    package private(set) var positionals: [String] = []
    package var positional: String? { positionals.first }

    /// `words` follow the command's name; `--flag value` and `--flag=value` mean the same. `environment` has the values
    /// of flags that are not in `words`; empty variables are ignored.
    package init(
        _ words: some Sequence<String>, for command: CommandSpecification, environment: [String: String]
    ) throws(UsageError) {
        var words = Array(words)[...]
        while let word = words.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                guard positionals.count < command.positionals.count else {
                    throw UsageError(message: "unexpected argument '\(word)'")
                }
                positionals.append(word)
                continue
            }
            let (name, attached) = Self.split(word)
            guard let flag = command.flags.first(where: { "--\($0.name)" == name }) else {
                throw UsageError(message: "unknown flag '\(name)'")
            }
            guard let value = attached ?? words.popFirst() else {
                throw UsageError(message: "\(name) needs a value: \(flag.placeholder)")
            }
            guard flag.mayRepeat || values[flag.name] == nil else {
                throw UsageError(message: "\(name) may be set only once")
            }
            values[flag.name, default: []].append(value)
        }
        for flag in command.flags where values[flag.name] == nil {
            guard let value = environment[flag.environmentName], !value.isEmpty else { continue }
            values[flag.name] =
                flag.mayRepeat ? value.split(separator: ",").map { Self.trimmed($0) } : [value]
            variables.insert(flag.name)
        }
    }

    /// Returns the flags that environment variables set, or only those of the command line.
    package func only(variables isFromVariable: Bool) -> ProgramArguments {
        var some = self
        some.values = values.filter { variables.contains($0.key) == isFromVariable }
        return some
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
                message:
                    "--\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'"
            )
        }
        return value
    }

    /// Returns whether a flag is `on`; nil if it is not set.
    public func isOn(_ name: String) throws(UsageError) -> Bool? {
        switch string(name) {
        case nil: nil
        case "on": true
        case "off": false
        case let text?: throw UsageError(message: "--\(name) takes on or off, not '\(text)'")
        }
    }

    /// Returns a number of seconds, which may have a fraction; nil if the flag is not set.
    public func seconds(_ name: String, in range: ClosedRange<Double>) throws(UsageError) -> Duration? {
        guard let text = string(name) else { return nil }
        guard let value = Double(text), range.contains(value) else {
            throw UsageError(
                message:
                    "--\(name) takes seconds from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return .milliseconds(Int64((value * 1000).rounded()))
    }
}
