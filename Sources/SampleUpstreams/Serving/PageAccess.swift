internal import HTTPModel

/// Lets pages of the same host read answers, whatever their port: the demo's page calls the upstreams itself, to compare.
///
/// A page of another host may send such requests, too, but not read the answers.
enum PageAccess {
    /// Returns the response with the fields that let the request's page read it and its times (Fetch, Resource Timing).
    static func opening(_ response: HTTPResponse, to head: HTTPRequestHead) -> HTTPResponse {
        guard let origin = head.fields[.origin] else { return response }
        var response = response
        response.fields[.vary] = "Origin"
        guard isOfSameHost(origin, head) else { return response }
        response.fields[.accessControlAllowOrigin] = origin
        response.fields["Timing-Allow-Origin"] = origin
        return response
    }

    private static func isOfSameHost(_ origin: String, _ head: HTTPRequestHead) -> Bool {
        guard let scheme = ["http://", "https://"].first(where: origin.hasPrefix) else { return false }
        guard let authority = head.authorityBytes, let own = host(authority) else { return false }
        return host(Array(origin.utf8)[scheme.utf8.count...]) == own
    }

    /// Returns the host of an authority in lower case; nil if it is invalid.
    private static func host(_ authority: ArraySlice<UInt8>) -> String? {
        guard let end = authority.withUnsafeBytes({ Authority.hostEnd(in: $0) }) else { return nil }
        return String(decoding: authority.prefix(end), as: UTF8.self).lowercased()
    }
}
