import JSONBytes
import Networking

extension Page {
    func show(_ look: Look) async throws {
        try await resize(look.device)
        // The diary's day is in UTC, and the last test may have set another zone.
        try await stand(in: "UTC")
        try await connect(nil)
        try await devTools("Emulation.setTouchEmulationEnabled", ["enabled": .flag(look.device.isMobile)])
        try await enableScripts(true)
        try await draw(look)
    }

    /// - Parameter medium: `print` for paper, empty for the screen.
    func draw(_ look: Look, medium: String = "") async throws {
        try await devTools(
            "Emulation.setEmulatedMedia",
            [
                "media": .text(medium),
                "features": [
                    ["name": "prefers-color-scheme", "value": .text(look.theme.rawValue)],
                    [
                        "name": "prefers-reduced-motion",
                        "value": look.reducesMotion ? "reduce" : "no-preference",
                    ],
                    ["name": "forced-colors", "value": look.forcesColors ? "active" : "none"],
                ],
            ])
    }

    /// Lets pages run scripts, or not. `run` works in both cases.
    func enableScripts(_ isEnabled: Bool) async throws {
        try await devTools("Emulation.setScriptExecutionDisabled", ["value": .flag(!isEnabled)])
    }

    /// A connection with a latency and a throughput.
    struct Connection: Sendable {
        var milliseconds: Double
        var bytesPerSecond: Double

        /// A mobile network in the countryside.
        static let slow = Connection(milliseconds: 300, bytesPerSecond: 30_000)
    }

    /// Slows the network down; nil ends that.
    func connect(_ connection: Connection?) async throws {
        try await devTools("Network.enable")
        try await devTools(
            "Network.emulateNetworkConditions",
            [
                "offline": false, "latency": .number(connection?.milliseconds ?? 0),
                "downloadThroughput": .number(connection?.bytesPerSecond ?? -1),
                "uploadThroughput": .number(connection?.bytesPerSecond ?? -1),
            ])
    }

    /// Opens a page without cached files and runs `script` before its own.
    func open(_ url: String, watchedBy script: String) async throws {
        let added = try await devTools(
            "Page.addScriptToEvaluateOnNewDocument", ["source": .text(script)])
        try await devTools("Network.clearBrowserCache")
        try await open("about:blank")
        try await open(url)
        try await devTools(
            "Page.removeScriptToEvaluateOnNewDocument",
            ["identifier": .text(added[member: "identifier"]?.stringValue ?? "")])
    }

    /// - Parameter zone: A name from the time zone database, such as `Asia/Seoul`.
    func stand(in zone: String) async throws {
        try await devTools("Emulation.setTimezoneOverride", ["timezoneId": .text(zone)])
    }

    /// Sets the size in CSS pixels; `height` replaces the device's own.
    func resize(_ device: Look.Device, height: Int? = nil) async throws {
        try await resize(
            width: device.width, height: height ?? device.height, pixelRatio: device.pixelRatio,
            isMobile: device.isMobile)
    }

    /// Sets the size of the window in CSS pixels.
    func resize(width: Int, height: Int, pixelRatio: Double = 1, isMobile: Bool = false) async throws {
        try await devTools(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .integer(Int64(width)), "height": .integer(Int64(height)),
                "deviceScaleFactor": .number(pixelRatio), "mobile": .flag(isMobile),
            ])
    }
}
