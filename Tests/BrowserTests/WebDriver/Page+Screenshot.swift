import Foundation
import JSONBytes
import Networking

extension Page {
    /// A PNG of the window, or of the whole page.
    func screenshot(wholePage: Bool = false) async throws -> Data {
        try await capture(["format": "png", "captureBeyondViewport": .flag(wholePage)])
    }

    /// A PNG of a part of the page, in CSS pixels.
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
