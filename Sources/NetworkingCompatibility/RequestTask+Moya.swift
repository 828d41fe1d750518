public import Foundation
public import Networking

/// Tasks with Moya's names.
extension RequestTask {
    /// Moya's name for `plain`.
    public static let requestPlain = RequestTask.plain

    /// Moya's name for `data(_:contentType:)`.
    public static func requestData(_ bytes: some Sequence<UInt8>) -> RequestTask {
        .data(bytes)
    }

    /// Moya's name for `json(_:)`.
    public static func requestJSONEncodable(_ value: some Encodable & Sendable) -> RequestTask {
        .json(value)
    }

    /// Moya's name for `json(_:encoder:)`.
    public static func requestCustomJSONEncodable(
        _ value: some Encodable & Sendable, encoder: any RequestEncoder
    ) -> RequestTask {
        .json(value, encoder: encoder)
    }

    /// Moya's name for `parameters(_:encoding:)`.
    public static func requestParameters(
        parameters: Parameters, encoding: ParameterEncoding
    ) -> RequestTask {
        .parameters(parameters, encoding: encoding)
    }

    /// Moya's name for `data(_:contentType:)` with parameters in the query.
    public static func requestCompositeData(
        bodyData: some Sequence<UInt8>, urlParameters: Parameters
    ) -> RequestTask {
        .data(bodyData).adding(query: urlParameters)
    }

    /// Moya's name for `parameters(_:encoding:)` with further parameters in the query. If `bodyEncoding` does
    /// not write a body, the call fails (Moya stops the program).
    public static func requestCompositeParameters(
        bodyParameters: Parameters, bodyEncoding: ParameterEncoding, urlParameters: Parameters
    ) -> RequestTask {
        .parameters(bodyParameters, encoding: bodyEncoding).adding(query: urlParameters)
    }

    /// Moya's name for `file(_:contentType:)`.
    public static func uploadFile(_ path: String) -> RequestTask {
        .file(path)
    }

    /// Moya's name for `multipart(_:)`.
    public static func uploadMultipart(_ form: MultipartFormData) -> RequestTask {
        .multipart(form)
    }

    /// Moya's name for `multipart(_:)`, from a list of parts.
    public static func uploadMultipart(_ parts: [MultipartFormData.Part]) -> RequestTask {
        .multipart(MultipartFormData(parts))
    }

    /// Moya's name for `multipart(_:)` with parameters in the query.
    public static func uploadCompositeMultipart(
        _ form: MultipartFormData, urlParameters: Parameters
    ) -> RequestTask {
        .multipart(form).adding(query: urlParameters)
    }

    /// Moya's name for `multipart(_:)` with parameters in the query, from a list of parts.
    public static func uploadCompositeMultipart(
        _ parts: [MultipartFormData.Part], urlParameters: Parameters
    ) -> RequestTask {
        .multipart(MultipartFormData(parts)).adding(query: urlParameters)
    }
}

/// Tasks with the types that Moya takes.
extension RequestTask {
    /// Moya's name for `file(_:contentType:)`. A URL without the scheme `file` fails the call.
    public static func uploadFile(_ url: URL) -> RequestTask {
        .file(url.pathOfFile)
    }

    /// Moya's name for `multipart(_:)`, from a list of parts that are forms of their own.
    @_disfavoredOverload
    public static func uploadMultipart(_ forms: [MultipartFormData]) -> RequestTask {
        .multipart(MultipartFormData(forms.flatMap(\.parts)))
    }

    /// Moya's name for `multipart(_:)` with parameters in the query, from a list of parts that are forms of
    /// their own.
    @_disfavoredOverload
    public static func uploadCompositeMultipart(
        _ forms: [MultipartFormData], urlParameters: Parameters
    ) -> RequestTask {
        .multipart(MultipartFormData(forms.flatMap(\.parts))).adding(query: urlParameters)
    }
}
