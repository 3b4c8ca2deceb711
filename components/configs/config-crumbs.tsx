// Where a page about one config stands: the list it comes from, the config, and what of it is shown.

import { configPath } from '@/components/paths/config-path.ts'
import { Link } from '@/components/ui/link.tsx'

export function ConfigCrumbs({
  ns,
  name,
  here,
  from = { href: '/configs', label: 'Configs' },
}: {
  readonly ns: string
  readonly name: string
  /** What of the config the page shows; absent: the title says it. */
  readonly here?: string
  readonly from?: { readonly href: string; readonly label: string }
}) {
  return (
    <>
      <Link href={from.href} className="text-link hover:underline">
        {from.label}
      </Link>
      {' › '}
      <Link href={configPath(ns, name)} className="text-link hover:underline">
        {ns}/{name}
      </Link>
      {here !== undefined && ` › ${here}`}
    </>
  )
}
