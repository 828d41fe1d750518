/// The place of a request among those that its endpoint may have in flight.
package protocol RequestPlace: AnyObject, Sendable {
    /// Keeps the place taken as long as the returned object lives, even after the request has ended.
    func hold() -> any AnyObject & Sendable
}
