import CPages
import GatewayHTTP
import Glibc

/// The files of `Public/` as they were when the program was built.
enum BuiltInPages {
    static var files: StaticFiles { .builtIn(all, modified: modified) }

    static var all: [BuiltInFile] {
        (0..<cpages_count()).map { index in
            let page = cpages_at(index)
            return BuiltInFile(
                path: String(cString: page.path),
                bytes: Array(UnsafeBufferPointer(start: page.bytes, count: page.length)))
        }
    }

    /// The pages are as old as the program's file. Seconds since 1970; 0 where that cannot be told.
    private static var modified: Int64 {
        var status = stat()
        return stat("/proc/self/exe", &status) == 0 ? Int64(status.st_mtim.tv_sec) : 0
    }
}
