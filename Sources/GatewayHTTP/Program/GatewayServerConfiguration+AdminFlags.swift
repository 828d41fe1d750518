import GatewayConfig

extension GatewayServerConfiguration {
    static func adminAddresses(_ arguments: ProgramArguments) throws(UsageError) -> [AdminAddress]? {
        let texts = arguments.all("admin")
        guard !texts.isEmpty else { return nil }
        do {
            return try AdminAddress.list(texts)
        } catch {
            throw UsageError(message: "\(arguments.source(of: "admin")): \(error)")
        }
    }

    /// Reads the file with the token. One line feed at its end does not count.
    static func adminToken(_ arguments: ProgramArguments) throws(UsageError) -> AdminToken? {
        guard let path = arguments.string("admin-token-file") else { return nil }
        let source = arguments.source(of: "admin-token-file")
        let bytes: [UInt8]
        do throws(ConfigSourceError) {
            bytes = try SystemConfigSource().read(path, limit: 4096)
        } catch {
            throw UsageError(
                message: "\(source): \(path) cannot be read: \(error.message)", isAboutFile: true)
        }
        let text = bytes.last == UInt8(ascii: "\n") ? bytes.dropLast() : bytes[...]
        guard let token = AdminToken(String(decoding: text, as: UTF8.self)) else {
            throw UsageError(message: "\(source): \(path) is not \(AdminToken.rule)", isAboutFile: true)
        }
        return token
    }
}
