import COpenSSL
import Glibc

struct TLSMaterial {
    /// Nil if the system's roots are used, or nothing is verified.
    let authorities: TLSPEMText?
    let certificateChain: TLSPEMText?
    let privateKey: TLSPEMText?
    /// SHA-256 of all of it, which detects changed files.
    let digest: [UInt8]

    /// Reads the files, which blocks.
    init(_ configuration: TLSConfiguration) throws(TLSError) {
        func text(_ pem: TLSConfiguration.PEM?, for use: String) throws(TLSError) -> TLSPEMText? {
            guard let pem else { return nil }
            return try TLSPEMText(pem, for: use)
        }
        let isVerified = configuration.verification.isFull
        authorities = try text(
            isVerified ? configuration.trust.authorities : nil, for: "trusted certificates")
        certificateChain = try text(configuration.identity?.certificateChain, for: "client certificate")
        privateKey = try text(configuration.identity?.privateKey, for: "client key")
        var all: [UInt8] = []
        for part in [authorities, certificateChain, privateKey] {
            all += part?.digest ?? [UInt8](repeating: 0, count: 32)
        }
        if isVerified, authorities == nil { all += Self.systemRoots() }
        digest = all.withUnsafeBytes { TLSPEMText.digest(of: $0) }
    }

    /// Changes when the system's roots do: the content of OpenSSL's file, and the modification times of its
    /// folders. (OpenSSL reads their files when it verifies a certificate.)
    private static func systemRoots() -> [UInt8] {
        func setting(_ name: UnsafePointer<CChar>?, _ standard: UnsafePointer<CChar>?) -> String {
            guard let text = name.flatMap({ getenv($0) }).map({ UnsafePointer($0) }) ?? standard else {
                return ""
            }
            return String(cString: text)
        }
        let file = setting(X509_get_default_cert_file_env(), X509_get_default_cert_file())
        var all = (try? TLSPEMText(.file(file), for: "the system's roots"))?.digest ?? []
        let folders = setting(X509_get_default_cert_dir_env(), X509_get_default_cert_dir())
        for folder in folders.split(separator: ":") {
            var facts = stat()
            guard stat(String(folder), &facts) == 0 else { continue }
            all += Array("\(facts.st_ino) \(facts.st_mtim.tv_sec) \(facts.st_mtim.tv_nsec) ".utf8)
        }
        return all
    }
}
