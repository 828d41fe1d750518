import CConsole
import GatewayConfig
import GatewayCore
import Glibc
import HTTPModel
import JSONBytes

/// The console: a page that draws what the other paths of the admin listener answer. Its files contain
/// nothing of the gateway, so they need no token.
enum AdminConsole {
    /// The files of `Public/console`, embedded in the program when it was built.
    static var files: [BuiltInFile] {
        (0..<cconsole_count()).map { index in
            let file = cconsole_at(index)
            let bytes = UnsafeBufferPointer(start: file.bytes, count: file.length)
            return BuiltInFile(path: String(cString: file.name), bytes: Array(bytes))
        }
    }

    /// Compressed at the first request for one of them, which takes some milliseconds.
    private static let server: FileServer? = {
        var settings = StaticFiles.builtIn(files, modified: modified)
        // No script can turn text into markup.
        settings.contentSecurityPolicy = StaticFiles.strictPolicy + "; trusted-types 'none'"
        return try? FileServer(settings)
    }()

    /// The modification time of the program's file, in seconds since 1970; 0 if it is unknown.
    private static var modified: Int64 {
        var status = stat()
        return stat("/proc/self/exe", &status) == 0 ? Int64(status.st_mtim.tv_sec) : 0
    }

    /// - Parameters:
    ///   - path: as requests for it have it: `/` is the page, `/console.css` a file.
    ///   - fields: the request's.
    static func answer(
        _ path: String, to fields: HTTPFields, isHead: Bool
    ) throws(GatewayError) -> HTTPResponse {
        guard let server, let path = FilePath(Array(path.utf8)[...]),
            case .builtIn(let page) = server.location(of: path)
        else { throw .notFound("The console has no such file") }
        let now = Int64(time(nil))
        let plan = FileSelection(fields, isHead: isHead, page.facts, now: now)
        switch plan.verdict {
        case .whole, .part, .notModified:
            let head = server.head(plan, of: page.facts, FileType(of: path.text), requestID: nil, now: now)
            return HTTPResponse(status: head.status, fields: head.fields, body: [page.body(of: plan)])
        case .preconditionFailed:
            throw GatewayError(.preconditionFailed, "The file does not meet the request's preconditions")
        case .unsatisfiableRange:
            let count = plan.representation(of: page.facts).byteCount
            throw GatewayError(
                .rangeNotSatisfiable, "The requested range lies outside the file of \(count) bytes",
                fields: [.contentRange: "bytes */\(count)"])
        }
    }
}

extension GatewayServer {
    /// The address of the console for a browser; nil if no admin address is of TCP.
    package var consoleURL: String? {
        let addresses = admin?.addresses.filter { !$0.isUnix } ?? []
        return (addresses.first { $0.isLoopback } ?? addresses.first).map { "http://\($0)/" }
    }
}

extension AdminExchange {
    /// Answers the page, or one of its files.
    func answerConsole() throws(GatewayError) {
        let path = request.head.target.path
        let file = path == "/" ? path : String(path.dropFirst("/console".utf8.count))
        respond(try AdminConsole.answer(file, to: request.head.fields, isHead: method == .head))
    }
}
