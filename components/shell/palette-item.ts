// How a line and a group of the palette look.
export const ITEM = 'flex h-8 items-center gap-2 rounded-control px-2 aria-selected:bg-row-hover'

export const GROUP = 'text-micro text-text-3 [&_[cmdk-item]]:text-body [&_[cmdk-item]]:text-text'
