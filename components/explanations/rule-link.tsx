import { versionPath } from '@/components/paths/config-path.ts'
import { Link } from '@/components/ui/link.tsx'

export interface RuleLinkProps {
  /** Null: the version is not stored here, so the name is no link. */
  readonly config: { readonly ns: string; readonly key: string; readonly number: number } | null
  /** Undefined: the version has no such rule. */
  readonly pointer: string | undefined
  readonly children: string
}

export function RuleLink({ config, pointer, children }: RuleLinkProps) {
  if (config === null || pointer === undefined) return children
  return (
    <Link
      className="text-link hover:underline"
      title={`Show ${children} in v${config.number}`}
      href={versionPath(config, pointer)}
    >
      {children}
    </Link>
  )
}
