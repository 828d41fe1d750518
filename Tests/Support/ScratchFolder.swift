import Foundation

/// A folder of its own for one test, in the system's folder for temporary files. It goes, and all that is in it, with its
/// last reference: keep it in a variable, or a property of the suite, for as long as its files are used.
package final class ScratchFolder: Sendable {
    /// Without a slash at its end; short enough for the path of a Unix-domain socket in it.
    package let path: String

    package init() {
        var name = Array((NSTemporaryDirectory() + "sluice-XXXXXX").utf8CString)
        guard mkdtemp(&name) != nil else {
            preconditionFailure("no folder for temporary files: errno \(errno)")
        }
        path = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A path in the folder. Nothing is there yet.
    package func file(_ name: String) -> String { path + "/" + name }
}
