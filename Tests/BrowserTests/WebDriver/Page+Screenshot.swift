import Foundation
import JSONBytes
import Networking

extension Page {
    /// A PNG of the window, or of the whole page.
    func screenshot(wholePage: Bool = false) async throws -> Data {
        let picture = try await devTools(
            "Page.captureScreenshot", ["format": "png", "captureBeyondViewport": .flag(wholePage)])
        return Data(base64Encoded: picture[member: "data"]?.stringValue ?? "") ?? Data()
    }
}
