export const PALETTE_NAME = 'Search or jump'
export const PALETTE_HINT = 'Page, session, config, docs, or an ID'
export const PALETTE_BOX =
  'fixed top-[12vh] left-1/2 z-50 w-[calc(100vw-16px)] max-w-lg -translate-x-1/2 rounded-card border border-border bg-surface shadow-xl'
export const PALETTE_INPUT = 'h-11 w-full border-border border-b bg-transparent px-3 outline-none'
