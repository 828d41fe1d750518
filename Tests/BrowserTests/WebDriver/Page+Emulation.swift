import Networking

extension Page {
    func show(_ look: Look) async throws {
        try await resize(look.device)
        // The diary's day is in UTC, and the last test may have set another zone.
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

    /// - Parameter zone: A name from the time zone database, such as `Asia/Seoul`.
    func stand(in zone: String) async throws {
        try await devTools("Emulation.setTimezoneOverride", ["timezoneId": .text(zone)])
    }

    /// Sets the size in CSS pixels; `height` replaces the device's own.
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
