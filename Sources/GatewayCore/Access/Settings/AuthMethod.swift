public import HTTPModel

/// How clients prove who they are, at endpoints that require it (`Gateway.auth(_:_:send:)`).
public enum AuthMethod: Sendable, Hashable {
    /// By a key in a field of the request.
    case apiKeys(APIKeySettings)
    /// By a signed token (RFC 7519).
    case jwt(TokenSettings)
    /// By whatever another service accepts.
    case authorize(AuthorizerSettings)
    /// By a certificate that the TLS handshake has verified.
    case clientCertificate(ClientCertificateSettings)

    /// By a key in a field of the request. `sluice key NAME` makes a key and its line in the file.
    ///
    /// - Parameters:
    ///   - file: the path of the file with the keys' digests.
    ///   - header: the field with the key.
    public static func apiKeys(file: String, header: HTTPFieldName = "X-API-Key") -> AuthMethod {
        .apiKeys(APIKeySettings(file: file, header: header))
    }

    /// By a certificate of the client, which the TLS handshake has verified
    /// (`GatewayServerConfiguration.tls`).
    ///
    /// - Parameter names: the names that count, of which the certificate must have one: DNS names, also
    ///   `*.example.com`, or URIs. Empty: any certificate.
    public static func clientCertificate(names: [String] = []) -> AuthMethod {
        .clientCertificate(ClientCertificateSettings(names: names))
    }
}
