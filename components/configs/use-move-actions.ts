'use client'

import type { Move } from '@/components/releases/moves.ts'
import type { PageAction } from '@/components/shell/page-actions.ts'
import { useReleaseRights } from '@/components/shell/release-right.ts'
import type { ConfigDetail } from '@/server/configs/configs.ts'
import { findPromotion, findRollback } from './environment-card.tsx'

function describeMove({ kind, environment, version }: Move): string {
  return kind === 'promote' ? `Promote v${version} to ${environment}…` : `Roll back ${environment}…`
}

export function useMoveActions(
  onMove: (move: Move) => void,
): (moves: readonly (Move | null)[]) => readonly PageAction[] {
  const rightIn = useReleaseRights()
  return (moves) =>
    moves
      .filter((move) => move !== null)
      .map((move) => ({
        name: describeMove(move),
        run: () => onMove(move),
        refusal: rightIn(move.environment).reason ?? undefined,
      }))
}

export function listMoves(
  config: ConfigDetail,
  chain: readonly string[],
): readonly (Move | null)[] {
  return chain.flatMap((name, index) => [
    findPromotion(config, name, chain[index + 1] ?? null),
    findRollback(config, name),
  ])
}
