public import Foundation
public import Networking

extension Response {
    /// The body as Moya has it. Each access copies it. A file that imports `Networking` too gets the slice
    /// `data` unless `Data` is asked for.
    @_disfavoredOverload
    public var data: Data { Data(raw.body) }
}

extension ProgressResponse {
    /// Moya's name for `isCompleted`. A file that imports `Networking` too gets the number of bytes unless a
    /// Boolean is asked for.
    @_disfavoredOverload
    public var completed: Bool { isCompleted }
}
