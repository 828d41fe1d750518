extension PrimitiveSequence where Trait == MaybeTrait {
    /// The value, or `default` when there is none.
    @inlinable
    public consuming func ifEmpty(default: Element) -> Single<Element> {
        Single(raw: source.ifEmpty(default: `default`))
    }

    /// The value, or what `other` brings when there is none.
    @inlinable
    public consuming func ifEmpty(switchTo other: Maybe<Element>) -> Maybe<Element> {
        Maybe(raw: source.ifEmpty(switchTo: other.source))
    }

    /// The value, or what `other` brings when there is none.
    @inlinable
    public consuming func ifEmpty(switchTo other: Single<Element>) -> Single<Element> {
        Single(raw: source.ifEmpty(switchTo: other.source))
    }
}
