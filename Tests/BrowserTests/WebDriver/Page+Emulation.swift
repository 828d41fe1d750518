import Networking

/// What a page is told of its screen and its user.
extension Page {
    func show(_ look: Look) async throws {
        try await resize(look.device)
        // The diary's day is UTC's; the last test may have stood elsewhere.
        try await stand(in: "UTC")
        try await devTools("Emulation.setTouchEmulationEnabled", ["enabled": .flag(look.device.isMobile)])
        try await devTools(
            "Emulation.setEmulatedMedia",
            [
                "features": [
                    ["name": "prefers-color-scheme", "value": .text(look.theme.rawValue)],
                    [
                        "name": "prefers-reduced-motion",
                        "value": look.reducesMotion ? "reduce" : "no-preference",
                    ],
                    ["name": "forced-colors", "value": look.forcesColors ? "active" : "none"],
                ]
            ])
    }

    /// - Parameter zone: of the time zone database, e.g. `Asia/Seoul`.
    func stand(in zone: String) async throws {
        try await devTools("Emulation.setTimezoneOverride", ["timezoneId": .text(zone)])
    }

    /// - Parameter height: in CSS pixels; nil: the device's own.
    func resize(_ device: Look.Device, height: Int? = nil) async throws {
        try await devTools(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .integer(Int64(device.width)),
                "height": .integer(Int64(height ?? device.height)),
                "deviceScaleFactor": .number(device.pixelRatio), "mobile": .flag(device.isMobile),
            ])
    }
}
