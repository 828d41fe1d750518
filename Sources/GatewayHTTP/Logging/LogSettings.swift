import GatewayConfig

/// What a gateway logs: settings that can change while it runs.
struct LogSettings: Sendable, Equatable {
    /// The least severe level on standard error.
    var level: LogLevel
    /// Which requests are logged on standard output.
    var access: AccessLogging
    /// From when on a request is slow, unless its endpoint says otherwise.
    var slow: Duration
    /// The fields of requests that are logged.
    var fields: LoggedFields

    init(_ configuration: GatewayServerConfiguration) {
        level = configuration.logLevel
        access = configuration.accessLog
        slow = configuration.slow
        fields = configuration.logFields
    }
}

/// Settings that replace others for some time; nil replaces nothing.
struct LogOverride: Sendable, Equatable {
    var level: LogLevel?
    var access: AccessLogging?
    /// How long it lasts, in seconds.
    var seconds: Int

    static let seconds = 1...86_400
}

/// Which of them apply.
struct LogState: Sendable {
    private var configured: LogSettings
    private var replaced: LogOverride?
    /// Tells an override from later ones.
    private(set) var overrides = 0

    init(_ configured: LogSettings) { self.configured = configured }

    var current: LogSettings {
        var settings = configured
        settings.level = replaced?.level ?? settings.level
        settings.access = replaced?.access ?? settings.access
        return settings
    }

    mutating func configure(_ settings: LogSettings) { configured = settings }

    mutating func replace(by override: LogOverride) {
        overrides += 1
        replaced = override
    }

    /// The time of an override is over, unless another has replaced it.
    mutating func end(_ number: Int) {
        if number == overrides { replaced = nil }
    }
}
