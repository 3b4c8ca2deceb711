import type { ReactNode } from 'react'

export function ExplanationColumns({
  main,
  side,
}: {
  readonly main: ReactNode
  readonly side: ReactNode
}) {
  return (
    <div className="grid gap-3 p-4 lg:grid-cols-[minmax(0,1fr)_minmax(320px,400px)] print:grid-cols-[minmax(0,1fr)_340px] print:px-0 [&_section]:break-inside-avoid">
      <div className="flex min-w-0 flex-col gap-3">{main}</div>
      <div className="flex min-w-0 flex-col gap-3">{side}</div>
    </div>
  )
}
