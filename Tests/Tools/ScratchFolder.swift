import Foundation

/// A temporary folder for one test. It is removed with its last reference: keep it in a variable or a
/// property of the suite while its files are used.
package final class ScratchFolder: Sendable {
    /// Has no trailing slash, and is short enough for the path of a Unix domain socket in it.
    package let path: String

    package init() {
        var name = Array((NSTemporaryDirectory() + "sluice-XXXXXX").utf8CString)
        guard mkdtemp(&name) != nil else {
            preconditionFailure("no folder for temporary files: errno \(errno)")
        }
        path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Returns a path in the folder. It creates nothing.
    package func file(_ name: String) -> String { path + "/" + name }
}
