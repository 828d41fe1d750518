public import Networking

/// Alamofire's `URLEncoding` with its defaults: brackets for lists, numbers for Booleans, sorted keys, and
/// `1` for the `Double` 1.0.
public enum URLEncoding {
    /// In the query for GET, HEAD and DELETE, in the body for other methods.
    public static let `default` = encoding(.methodDependent)
    /// In the query for every method.
    public static let queryString = encoding(.queryString)
    /// In the body for every method.
    public static let httpBody = encoding(.httpBody)

    private static func encoding(_ destination: ParameterEncoding.Destination) -> ParameterEncoding {
        .alamofire(destination)
    }
}

/// Alamofire's `JSONEncoding`: `ParameterEncoding.json`, but with `1` for the `Double` 1.0.
public enum JSONEncoding {
    /// In the body, as a JSON object.
    public static let `default` = ParameterEncoding.alamofireJSON
}
