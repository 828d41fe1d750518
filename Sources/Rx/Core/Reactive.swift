/// The namespace for reactive extensions of `Base`: `provider.rx.request(...)`.
@dynamicMemberLookup
public struct Reactive<Base> {
    /// The object that the extensions are for.
    public let base: Base

    /// Creates the namespace of `base`.
    public init(_ base: Base) {
        self.base = base
    }

    /// An observer that sets a property of the base while it lives, on the thread that sends the value.
    public subscript<Property: Sendable>(
        dynamicMember keyPath: any ReferenceWritableKeyPath<Base, Property> & Sendable
    ) -> Binder<Property> where Base: AnyObject & Sendable {
        Binder(base) { base, value in base[keyPath: keyPath] = value }
    }
}

extension Reactive: Sendable where Base: Sendable {}

/// A type with a namespace `rx` for reactive extensions. Conformance needs no code.
public protocol ReactiveCompatible {
    associatedtype ReactiveBase

    static var rx: Reactive<ReactiveBase>.Type { get set }
    var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
    /// The type that holds this type's static reactive extensions.
    public static var rx: Reactive<Self>.Type {
        get { Reactive<Self>.self }
        // Without the setter, members of `rx` could not be assigned.
        set {}
    }

    /// The reactive extensions of this value.
    public var rx: Reactive<Self> {
        get { Reactive(self) }
        set {}
    }
}
