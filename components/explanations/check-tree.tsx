'use client'
// A check that was not evaluated names the cause and never looks like a pass. Arrow keys, Home and End move within the tree.
import type { CheckNode } from '@signalbox/core/analysis'
import { type KeyboardEvent, useRef } from 'react'
import { Link } from '@/components/ui/link.tsx'
import { isStatus, StatusIcon } from '@/components/ui/status-badge.tsx'
import { RuleLink, type RuleLinkProps } from './rule-link.tsx'

const WORD = {
  passed: { word: 'passed', hue: 'text-allow-fg' },
  nothing_to_check: { word: 'nothing to check', hue: 'text-text-2' },
  incomplete: { word: 'incomplete', hue: 'text-blocked-fg' },
  not_evaluated: { word: 'not evaluated', hue: 'text-text-2' },
  bypassed: { word: 'bypassed', hue: 'text-text-2' },
  error: { word: 'error', hue: 'text-deny-fg' },
} as const satisfies Record<CheckNode['status'], { word: string; hue: string }>

interface Placed {
  readonly node: CheckNode
  /** From 1. */
  readonly level: number
  /** Position among its siblings, from 1. */
  readonly position: number
  readonly siblings: number
}

/** Items are siblings with a level, so that an item's accessible name does not include its children. */
function placed(at: Placed): readonly Placed[] {
  const { node, level } = at
  const children = node.children ?? []
  const beneath = children.flatMap((child, index) =>
    placed({ node: child, level: level + 1, position: index + 1, siblings: children.length }),
  )
  return [at, ...beneath]
}

/** Null: the key has no effect here. */
function computeTargetIndex(key: string, at: number, count: number): number | null {
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[key]
  return to === undefined ? null : Math.max(0, Math.min(count - 1, to))
}

export function CheckTree({
  root,
  label,
  sessionId,
  config = null,
}: {
  readonly root: CheckNode
  readonly label: string
  /** Null: the config is not stored here. */
  readonly config?: RuleLinkProps['config']
  /** Null: the session's page is not available. */
  readonly sessionId: string | null
}) {
  const tree = useRef<HTMLDivElement>(null)
  const items = placed({ node: root, level: 1, position: 1, siblings: 1 })
  const onKeyDown = (event: KeyboardEvent): void => {
    const nodes = [...(tree.current?.querySelectorAll<HTMLElement>('[role="treeitem"]') ?? [])]
    const at = nodes.findIndex((node) => node.contains(document.activeElement))
    const to = at < 0 ? null : computeTargetIndex(event.key, at, nodes.length)
    if (to === null) return
    event.preventDefault()
    nodes[to]?.focus()
  }
  return (
    <div ref={tree} role="tree" aria-label={label} onKeyDown={onKeyDown} className="px-3 py-2">
      {items.map((item, index) => (
        <CheckItem
          key={item.node.pointer}
          {...item}
          sessionId={sessionId}
          config={config}
          isFirst={index === 0}
        />
      ))}
    </div>
  )
}

interface ItemProps extends Placed {
  readonly config: RuleLinkProps['config']
  readonly sessionId: string | null
  readonly isFirst: boolean
}

function CheckItem({ node, level, position, siblings, sessionId, config, isFirst }: ItemProps) {
  const { word, hue } = WORD[node.status]
  const icon = isStatus(node.status) ? node.status : 'not_evaluated'
  return (
    <div
      role="treeitem"
      aria-level={level}
      aria-posinset={position}
      aria-setsize={siblings}
      aria-selected={false}
      {...(node.children === null ? {} : { 'aria-expanded': true })}
      tabIndex={isFirst ? 0 : -1}
      data-status={node.status}
      data-checker={node.checker}
      style={{ paddingLeft: (level - 1) * 24 }}
      className="flex gap-2 py-1.5"
    >
      <span className="mt-0.5">
        <StatusIcon status={icon} size={16} />
      </span>
      <div className="min-w-0">
        <div className="flex flex-wrap items-baseline gap-x-1.5">
          <span className="font-medium">
            <RuleLink config={config} pointer={node.pointer}>
              {node.checker}
            </RuleLink>
          </span>{' '}
          <span className="font-mono text-mono text-text-3">{node.type}</span>{' '}
          <span className={hue}>{word}</span>{' '}
        </div>
        <p className="break-words text-small text-text-2">
          {node.sentence}
          {node.children === null ? <Because seqs={node.because} sessionId={sessionId} /> : null}
        </p>
        {node.expression === undefined ? null : (
          <code className="break-words font-mono text-mono text-text-3">{node.expression}</code>
        )}
      </div>
    </div>
  )
}

const MOST_CAUSES = 5

export function Because({
  seqs,
  sessionId,
}: {
  readonly seqs: readonly number[]
  /** Null: the session's page is not available. */
  readonly sessionId: string | null
}) {
  if (seqs.length === 0) return null
  return (
    <>
      {' · because of '}
      {seqs.slice(0, MOST_CAUSES).map((seq, index) => (
        <span key={seq}>
          {index > 0 ? ', ' : ''}
          {sessionId === null ? (
            `#${seq}`
          ) : (
            <Link className="text-link underline" href={`/sessions/${sessionId}?e=${seq}`}>
              #{seq}
            </Link>
          )}
        </span>
      ))}
      {seqs.length > MOST_CAUSES ? ` and ${seqs.length - MOST_CAUSES} more` : ''}
    </>
  )
}
