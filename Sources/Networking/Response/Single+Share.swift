public import Rx

extension PrimitiveSequence where Trait == SingleTrait {
    /// Makes the call once for all subscribers, also for those that come after its end. So several parts of an answer can use one
    /// call, and a part can begin as soon as the one that it depends on has ended:
    ///
    ///     let product = shop.rx.request(.product(id)).fragment().share()
    ///     return .parts(
    ///         product: product,
    ///         reviews: shop.rx.request(.reviews(id)).fragment(),
    ///         seller: product.flatMap { sellers.rx.request(.seller(try $0.decode(at: "/sellerId"))).fragment() })
    ///
    /// If it fails, all subscribers get its failure. It is cancelled if all leave before its end. Share what belongs to one request
    /// only: the result is kept as long as the single is.
    public func share() -> Single<Element> {
        let shared = asObservable().share(replay: 1, scope: .forever)
        return .create { observer in
            // Each subscriber goes on in its own context, so that calls that depend on this one belong to the right part.
            let context = CallContext.current
            return shared.subscribe(
                onNext: { value in CallContext.$current.withValue(context) { observer(.success(value)) } },
                onError: { error in CallContext.$current.withValue(context) { observer(.failure(error)) } })
        }
    }
}
