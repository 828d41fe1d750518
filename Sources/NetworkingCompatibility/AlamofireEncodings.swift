public import Networking

/// Alamofire's `URLEncoding` with its defaults: brackets for lists, numbers for Booleans, sorted keys.
public enum URLEncoding {
    /// In the query for GET, HEAD and DELETE, in the body for other methods.
    public static let `default` = encoding(.methodDependent)
    /// In the query for every method.
    public static let queryString = encoding(.queryString)
    /// In the body for every method.
    public static let httpBody = encoding(.httpBody)

    private static func encoding(_ destination: ParameterEncoding.Destination) -> ParameterEncoding {
        .url(destination, lists: .brackets, booleans: .numeric, sortsKeys: true)
    }
}

/// Alamofire's name for `ParameterEncoding.json`.
public enum JSONEncoding {
    /// In the body, as a JSON object.
    public static let `default` = ParameterEncoding.json
}
