/// One flag of a command. An environment variable can set it too.
public struct ProgramFlag: Sendable {
    /// Without the dashes: `drain-delay`.
    public var name: String
    /// The value's name in the help: `SECONDS`.
    public var placeholder: String
    /// What the flag does, in a phrase.
    public var help: String
    /// The default as the help prints it; nil for none.
    public var fallback: String?
    /// Whether it may be set several times. In its variable, commas separate the values.
    public var mayRepeat: Bool
    /// Whether it may be the last word, or stand before another flag, without a value. Then its variable has
    /// the value.
    package var mayOmitValue = false
    /// Whether the gateway is less safe without it. Then its variable must not be empty: whoever set it
    /// wanted the protection.
    package var protects = false

    /// Creates a flag.
    ///
    /// - Parameters:
    ///   - name: without the dashes.
    ///   - placeholder: the value's name in the help.
    ///   - help: what the flag does, in a phrase.
    ///   - fallback: the default as the help prints it.
    ///   - mayRepeat: whether it may be set several times.
    public init(
        name: String, placeholder: String, help: String, fallback: String? = nil, mayRepeat: Bool = false
    ) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        self.fallback = fallback
        self.mayRepeat = mayRepeat
    }

    /// The flag, as one that `protects`.
    package var protecting: ProgramFlag {
        var flag = self
        flag.protects = true
        return flag
    }

    /// `SLUICE_DRAIN_DELAY` for `drain-delay`.
    package var environmentName: String {
        "SLUICE_" + name.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}
