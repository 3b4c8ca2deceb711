import { configPath } from '@/components/paths/config-path.ts'
import { DemoTag } from '@/components/ui/demo-tag.tsx'
import { Link } from '@/components/ui/link.tsx'

export function ConfigCrumbs({
  ns,
  name,
  here,
  from = { href: '/configs', label: 'Configs' },
}: {
  readonly ns: string
  readonly name: string
  /** Part of the config that the page shows; absent: the page's title names it. */
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
      {here !== undefined && ` › ${here}`} <DemoTag ns={ns} />
    </>
  )
}
