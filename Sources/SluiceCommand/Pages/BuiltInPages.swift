import CPages
import GatewayHTTP
import Glibc

/// The files of `Public/`, embedded in the program when it was built.
enum BuiltInPages {
    /// The pages create no Trusted Types policy, so that no script can turn text into markup.
    static var files: StaticFiles {
        var files = StaticFiles.builtIn(all, modified: modified)
        files.contentSecurityPolicy = StaticFiles.strictPolicy + "; trusted-types 'none'"
        return files
    }

    /// Without their comments.
    static var all: [BuiltInFile] {
        (0..<cpages_count()).map { index in
            let page = cpages_at(index)
            let path = String(cString: page.path)
            let bytes = Array(UnsafeBufferPointer(start: page.bytes, count: page.length))
            return BuiltInFile(path: path, bytes: PageText.withoutComments(bytes, path: path))
        }
    }

    /// The modification time of the program's file, in seconds since 1970; 0 if it is unknown.
    private static var modified: Int64 {
        var status = stat()
        return stat("/proc/self/exe", &status) == 0 ? Int64(status.st_mtim.tv_sec) : 0
    }
}
