import { anthropic } from '../../core/model/anthropic.ts'
import { limits } from '../../core/model/capability.ts'
import type { Model } from '../../core/model/model.ts'
import { admit } from '../../core/model/wire/endpoint.ts'
import { events, type Reply } from '../../core/model/wire/reply.ts'
import type { WireRequest } from '../../core/model/wire/shape.ts'
import { tokensOf } from '../../core/model/wire/validate.ts'
import type { Move, Task } from './task.ts'

/** Scripted models of known quality: the check of the evaluation itself, and what runs without a key. */
export const qualities = ['perfect', 'careless', 'obedient'] as const
export type Quality = (typeof qualities)[number]

/** The moves of a scripted model for a task: with its weakness if the task has a place for it, else the right ones. */
export function movesOf(task: Task, quality: Quality): Move[] {
  return quality === 'perfect' ? task.solution : (task.slips[quality] ?? task.solution)
}

/**
 * A model that makes one move per call, behind the SDK's `fetch` and the strict validator, so that everything but the
 * provider is the production path. It answers a sentence to calls after the last move.
 */
export function scripted(moves: Move[], quality: Quality): Model {
  let at = 0
  return anthropic({
    about: { provider: 'Scripted', model: `demo-${quality}`, isAI: true },
    capabilities: ['tools', 'vision', 'pdf'],
    limits: limits({ contextTokens: 200_000, maxOutputTokens: 64_000 }, 'anthropic'),
    key: 'scripted',
    baseUrl: 'http://scripted.invalid',
    fetch: async (url, init) => {
      at += 1
      const requestId = `req_${at}`
      const admission = await admit(new Request(url, init), { requestId })
      if (!admission.ok) return admission.response
      const reply = replyOf(moves[at - 1], admission.request, at)
      return new Response(events(`msg_${at}`, admission.request, reply).join(''), {
        headers: { 'content-type': 'text/event-stream', 'request-id': requestId },
      })
    },
  })
}

const over = 'There is nothing more to do.'

function replyOf(move: Move | undefined, request: WireRequest, at: number): Reply {
  const calls = request.tool_choice?.type === 'none' ? undefined : move?.calls
  const content: Reply['content'] = calls
    ? calls.map(({ name, arguments: input }, nth) => ({
        type: 'tool_use',
        id: `toolu_${at}_${nth}`,
        name,
        input,
      }))
    : [{ type: 'text', text: move?.text ?? over }]
  const output = Math.ceil(JSON.stringify(content).length / 4)
  return {
    content,
    stop: calls ? 'tool_use' : 'end_turn',
    usage: { input: tokensOf(request), output },
  }
}
