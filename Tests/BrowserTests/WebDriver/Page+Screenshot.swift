import Foundation
import JSONBytes
import Networking

extension Page {
    /// Returns a PNG of the window.
    func screenshot() async throws -> Data {
        try await capture(["format": "png"])
    }

    /// Returns a PNG of the page from an element down, at most `height` CSS pixels high, with `pixelRatio`
    /// image pixels per CSS pixel.
    func screenshot(
        from selector: String, height: Double = 10_000, _ device: Look.Device, pixelRatio: Double
    ) async throws -> Data {
        let top = try await run(
            "return Math.max(0, document.querySelector(arguments[0]).getBoundingClientRect().top + scrollY - 16)",
            [.text(selector)], as: Double.self)
        let size = try await devTools("Page.getLayoutMetrics")[member: "cssContentSize"]
        let room = ((size?[member: "height"]?.doubleValue ?? 0) - top).rounded(.down)
        return try await capture([
            "format": "png", "captureBeyondViewport": true,
            "clip": [
                "x": 0, "y": .number(top), "width": .number(size?[member: "width"]?.doubleValue ?? 0),
                "height": .number(min(height, room)), "scale": .number(pixelRatio / device.pixelRatio),
            ],
        ])
    }

    /// Returns a PNG of a rectangle of the page, in CSS pixels.
    func screenshot(x: Double, y: Double, width: Double, height: Double) async throws -> Data {
        try await capture([
            "format": "png", "optimizeForSpeed": true,
            "clip": [
                "x": .number(x), "y": .number(y), "width": .number(width), "height": .number(height),
                "scale": 1,
            ],
        ])
    }

    private func capture(_ parameters: ParameterValue) async throws -> Data {
        let picture = try await devTools("Page.captureScreenshot", parameters)
        return Data(base64Encoded: picture[member: "data"]?.stringValue ?? "") ?? Data()
    }
}
