// Takes the focus, so that it can be scrolled without a mouse in browsers that do not make such a box focusable.
import type { ComponentProps } from 'react'

interface ScrollBoxProps extends Omit<ComponentProps<'section'>, 'aria-label' | 'tabIndex'> {
  readonly label: string
}

export function ScrollBox({ label, ...props }: ScrollBoxProps) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: focusable for scrolling
  return <section aria-label={label} tabIndex={0} {...props} />
}
