/** The first thing that the keyboard reaches; invisible until then. The page has a `main` of the id `main`. */
export function SkipLink() {
  return (
    <a
      href="#main"
      className="sr-only z-60 rounded-control bg-accent px-3 py-1 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
    >
      Skip to content
    </a>
  )
}
