public import Foundation
public import Networking

extension MultipartFormData {
    /// The content of a part (Moya's `FormDataProvider`).
    public struct FormDataProvider: Sendable {
        private enum Content: Sendable {
            case bytes(ArraySlice<UInt8>)
            case file(path: String)
            case stream(any BodySource)
        }

        private let content: Content

        /// Bytes in memory.
        public static func data(_ bytes: some Sequence<UInt8>) -> FormDataProvider {
            FormDataProvider(content: .bytes(ArraySlice(bytes)))
        }

        /// A file, streamed from disk. A URL without the scheme `file` fails the call.
        public static func file(_ url: URL) -> FormDataProvider {
            FormDataProvider(content: .file(path: url.pathOfFile))
        }

        /// Bytes that are read while they are sent. (Moya takes an `InputStream` and its length.)
        public static func stream(_ source: any BodySource) -> FormDataProvider {
            FormDataProvider(content: .stream(source))
        }

        fileprivate func part(_ name: String, _ fileName: String?, _ mimeType: String?) -> Part {
            switch content {
            case .bytes(let bytes): .bytes(bytes, name: name, fileName: fileName, mimeType: mimeType)
            case .file(let path): .file(path, name: name, fileName: fileName, mimeType: mimeType)
            case .stream(let source): .stream(source, name: name, fileName: fileName, mimeType: mimeType)
            }
        }
    }

    /// Creates a form of one part. `uploadMultipart(_:)` joins a list of these, as in Moya.
    ///
    /// - Parameters:
    ///   - provider: the content of the part.
    ///   - name: the name of the field.
    ///   - fileName: the file name of the part. Default nil: the name of a file, and none for bytes.
    ///   - mimeType: the media type. Default nil: derived from the file name.
    public init(
        provider: FormDataProvider, name: String, fileName: String? = nil, mimeType: String? = nil
    ) {
        self.init([provider.part(name, fileName, mimeType)])
    }
}

extension URL {
    /// The path of a file URL. Any other URL becomes the name of a file that does not exist.
    var pathOfFile: String { isFileURL ? path : absoluteString }
}
