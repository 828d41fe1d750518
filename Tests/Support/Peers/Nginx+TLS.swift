import Foundation

extension Nginx {
    /// Starts an nginx that speaks TLS.
    ///
    /// - Parameters:
    ///   - server: directives of its server block.
    ///   - identity: its certificate and key.
    package static func secure(
        _ server: String = "", identity: TestIdentity = TestAuthority.shared.issue(), http: String = "",
        main: String = "", files: [String: [UInt8]] = [:], in folder: ScratchFolder = ScratchFolder()
    ) throws -> Nginx {
        for (name, text) in [("certificate.pem", identity.certificate), ("key.pem", identity.key)] {
            try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
        }
        return try Nginx(
            """
            ssl_certificate \(folder.file("certificate.pem"));
            ssl_certificate_key \(folder.file("key.pem"));
            \(server)
            """, listen: "ssl", http: http, main: main, files: files, in: folder)
    }
}
