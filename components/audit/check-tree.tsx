// The checker tree as it was evaluated: every checker of the config once, each with one of six states. What was not evaluated
// says so and names the cause; it never looks like a pass.

import { isStatus, StatusIcon } from '@/components/ui/status-badge.tsx'
import type { CheckNode } from '@/server/services/audit/check-nodes.ts'

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
}

/** The tree in reading order. Items are siblings with a level, so that the name of one is not the text of all beneath it. */
function placed(node: CheckNode, level = 1): readonly Placed[] {
  const beneath = node.children?.flatMap((child) => placed(child, level + 1)) ?? []
  return [{ node, level }, ...beneath]
}

export function CheckTree({ root, label }: { readonly root: CheckNode; readonly label: string }) {
  return (
    <div role="tree" aria-label={label} className="px-3 py-2">
      {placed(root).map(({ node, level }, index) => (
        <CheckItem key={node.pointer} node={node} level={level} isFirst={index === 0} />
      ))}
    </div>
  )
}

function CheckItem({ node, level, isFirst }: Placed & { readonly isFirst: boolean }) {
  const { word, hue } = WORD[node.status]
  const icon = isStatus(node.status) ? node.status : 'not_evaluated'
  return (
    <div
      role="treeitem"
      aria-level={level}
      aria-selected={false}
      {...(node.children === null ? {} : { 'aria-expanded': true })}
      tabIndex={isFirst ? 0 : -1}
      data-status={node.status}
      style={{ paddingLeft: (level - 1) * 24 }}
      className="flex gap-2 py-1.5"
    >
      <span className="mt-0.5">
        <StatusIcon status={icon} size={16} />
      </span>
      <div className="min-w-0">
        <div className="flex flex-wrap items-baseline gap-x-1.5">
          <span className="font-medium">{node.checker}</span>{' '}
          <span className="font-mono text-mono text-text-3">{node.type}</span>{' '}
          <span className={hue}>{word}</span>{' '}
        </div>
        <p className="break-words text-small text-text-2">{node.sentence}</p>
      </div>
    </div>
  )
}
