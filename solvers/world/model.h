// SPDX-License-Identifier: GPL-3.0-or-later
// The model: everything about a scene that does not change during a run. It is made once from a
// definition, which a scenario file or a C program fills in. The definition is checked, and its
// lengths, node masses, initial positions and capacities are resolved; then the model is constant.
#ifndef RL_MODEL_H
#define RL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vector.h"

// No such index. As a body: a point fixed in space.
#define RL_NONE UINT32_MAX

// Value of rl_rope_definition.pool: as many spare nodes as can ever be needed.
#define RL_POOL_ENOUGH SIZE_MAX

// ---------------------------------------------------------------------------------------------
// Definition: what the user specifies. Start from rl_body_defaults(), rl_rope_defaults() and
// rl_waypoint_defaults(). Optional numbers are NAN where absent. All arrays belong to the caller;
// rl_model_create copies them.

typedef enum rl_motion { RL_FREE, RL_FIXED, RL_DRIVEN, RL_AXLE } rl_motion;

typedef enum rl_shape { RL_SPHERE, RL_CAPSULE, RL_CYLINDER, RL_BOX, RL_PLANE, RL_HULL } rl_shape;

// Whether the surface of a shape consists of flat faces and edges.
static inline bool rl_is_polyhedron(rl_shape shape) { return shape == RL_BOX || shape == RL_HULL; }

// Returns how many contacts with a part a node or an element of a rope can have: an element can get
// into all but a plane at a second place, (5g) of papers/world.md.
static inline uint32_t rl_shape_contacts(rl_shape shape, bool is_element) {
  return is_element && shape != RL_PLANE ? 2 : 1;
}

// One convex part of a body's shape, in the body's frame.
typedef struct rl_part_definition {
  const char *name; // may be NULL
  rl_shape shape;
  rl_vec3 at;            // centre of the part [m]
  rl_vec3 rotation;      // rotation vector [rad]
  double radius;         // sphere, capsule, cylinder [m]
  double length;         // capsule (without the caps), cylinder, along the local z axis [m]
  rl_vec3 size;          // box: full edge lengths [m]
  rl_vec3 normal;        // plane: outward normal of the half-space, not necessarily unit
  size_t point_count;    // hull
  const rl_vec3 *points; // hull [m]
} rl_part_definition;

// A corner of the piecewise linear motion of a driven body.
typedef struct rl_drive_key {
  double time;      // [s]
  rl_vec3 position; // [m]
} rl_drive_key;

typedef struct rl_body_definition {
  const char *name;
  rl_motion motion;
  double mass;       // [kg], NAN if absent; required for RL_FREE and RL_AXLE
  rl_vec3 inertia;   // principal moments [kg m^2]; x is NAN if absent
  rl_vec3 position;  // of the mass centre [m]
  rl_vec3 rotation;  // rotation vector [rad]
  rl_vec3 velocity;  // [m/s]
  rl_vec3 spin;      // angular velocity, world frame [rad/s]
  size_t part_count; // a body without parts and inertia is a point mass
  const rl_part_definition *parts;
  double friction; // Coulomb coefficient, NAN if absent
  double restitution;
  bool collide;      // with other bodies
  bool rope_collide; // with ropes
  size_t drive_count;
  const rl_drive_key *drive; // RL_DRIVEN: piecewise linear motion, at rest after the last key
} rl_body_definition;

typedef enum rl_end_kind { RL_END_POINT, RL_END_FREE, RL_END_BODY, RL_END_NODE } rl_end_kind;

typedef struct rl_end {
  rl_end_kind kind;
  uint32_t body; // RL_END_BODY
  uint32_t rope; // RL_END_NODE: the rope and the index of its node to which the end is joined
  int32_t node;
  rl_vec3 at;    // in the body's frame; in space for a point and a free end [m]
  rl_vec3 clamp; // direction of the rope there, towards `to`, in the same frame; 0: hinged
} rl_end;

// Something that a rope passes: an eye, fixed in space or on a body, or a body that it goes round.
typedef struct rl_waypoint {
  bool is_eye;
  uint32_t body;   // RL_NONE: an eye fixed in space
  uint32_t part;   // RL_NONE: the whole body
  rl_vec3 at;      // eye: in the body's frame, or in space [m]
  rl_vec3 side;    // body: direction from it to the side on which the rope lies; x NAN if absent
  double turns;    // body: extra full turns
  double friction; // eye: Coulomb coefficient, NAN if absent
} rl_waypoint;

typedef enum rl_pose { RL_POSE_STRAIGHT, RL_POSE_POINTS, RL_POSE_HANG } rl_pose;
typedef enum rl_lumping { RL_LUMP_HALF, RL_LUMP_EQUAL } rl_lumping;

// Whether a run stops or continues when a rope has to part or grow and has no spare node left.
typedef enum rl_exhausted { RL_EXHAUSTED_STOP, RL_EXHAUSTED_CONTINUE } rl_exhausted;

typedef struct rl_rope_definition {
  const char *name;
  rl_end from, to;
  bool closed; // a loop: the last element leads back to node 0; from and to keep their defaults
  size_t waypoint_count;
  const rl_waypoint *waypoints;
  double length;              // rest length of the whole rope [m], NAN if absent
  double slack;               // added to the shortest path where no length is given [m]
  double mass;                // of the whole rope [kg]; 0: massless
  size_t segments;            // number of elements; 0: massless, one span from end to end
  const double *rest_lengths; // [segments] instead of length, NULL if absent [m]
  const double *node_masses;  // [nodes] instead of mass, NULL if absent [kg]
  rl_lumping lumping;
  double stiffness;             // EA [N], NAN: inextensible
  double damping;               // axial [N s]
  double damping_ratio;         // of critical, per element
  double bending;               // EI [N m^2]
  double radius;                // [m]
  double friction;              // NAN if absent
  bool compression;             // elements resist being shortened as well (rods)
  bool rope_collide;            // touches itself and other ropes with this flag
  double break_tension;         // of every element [N], NAN if absent
  const double *break_tensions; // [segments] instead, NULL if absent [N]
  double drag;                  // [N s/m] per node
  double drag_per_length;       // [N s/m^2]
  size_t pool;                  // number of spare nodes, or RL_POOL_ENOUGH
  rl_exhausted pool_exhausted;
  rl_pose pose;
  size_t point_count;        // RL_POSE_POINTS: one for each node, or a polyline to be resampled
  const rl_vec3 *points;     // [m]
  rl_vec3 velocity;          // of all nodes [m/s]
  rl_vec3 spin;              // about the rope's mass centre or `pivot` [rad/s]
  rl_vec3 pivot;             // x is NAN if absent [m]
  const rl_vec3 *velocities; // [nodes], NULL if absent [m/s]
} rl_rope_definition;

typedef enum rl_event_kind {
  RL_EVENT_CUT,          // an element of a rope
  RL_EVENT_CUT_PLANE,    // every rope where it crosses a plane
  RL_EVENT_CUT_SWIPE,    // every rope that a segment crosses, seen along `normal`
  RL_EVENT_RELEASE_END,  // of a rope
  RL_EVENT_RELEASE_BODY, // a fixed body, which has a mass, becomes free
  RL_EVENT_WINCH,        // at an end of a rope, or inside
  RL_EVENT_FORCE,        // on the centre of a body that is free
  RL_EVENT_WIND,         // against which ropes with drag move
} rl_event_kind;

// Something that happens to the scene once, before the step that begins nearest to its time, or
// that acts from one time to another.
typedef struct rl_event {
  rl_event_kind kind;
  double from, until;    // [s]; `until` is not used by events that happen once
  uint32_t rope;         // RL_EVENT_CUT, RL_EVENT_RELEASE_END and RL_EVENT_WINCH
  uint32_t element;      // RL_EVENT_CUT
  uint32_t end;          // RL_EVENT_RELEASE_END and RL_EVENT_WINCH: 0 `from`, 1 `to`
  bool is_inside;        // RL_EVENT_WINCH: the winch is inside the rope, at the
  double at_length;      // rest length `at_length` from that end [m]
  uint32_t body;         // RL_EVENT_RELEASE_BODY and RL_EVENT_FORCE
  rl_vec3 point, normal; // of a plane; of a swipe its first point [m] and the direction of view
  rl_vec3 to;            // of a swipe: its last point [m]
  double duration;       // of a swipe, at constant speed [s]; 0: at one moment
  rl_vec3 value;         // force [N] or wind [m/s]
  double rate;           // of a winch: positive pays out [m/s]
  double max_tension;    // of a winch: largest tension against which it takes in [N]; INFINITY: any
} rl_event;

typedef struct rl_definition {
  rl_vec3 gravity; // [m/s^2]
  size_t body_count;
  const rl_body_definition *bodies;
  size_t rope_count;
  const rl_rope_definition *ropes;
  size_t event_count;
  const rl_event *events;
  // What there is for a run [bytes]; 0: no limit. A model is refused if it does not fit with a
  // state and rows, and no matrix of a direct method grows beyond what is left.
  size_t memory;
} rl_definition;

rl_body_definition rl_body_defaults(void);
rl_rope_definition rl_rope_defaults(void);
rl_waypoint rl_waypoint_defaults(void); // round no body, through no eye

// Returns the number of elements of a rope; a massless rope has one, its whole span.
static inline size_t rl_definition_elements(const rl_rope_definition *rope) {
  return rope->segments > 0 ? rope->segments : 1;
}

// Returns the number of nodes of a rope: one more than elements; in a loop as many.
static inline size_t rl_definition_nodes(const rl_rope_definition *rope) {
  return rl_definition_elements(rope) + (rope->closed ? 0 : 1);
}

typedef enum rl_fault_kind {
  RL_FAULT_NONE,
  RL_FAULT_INVALID,     // the definition contradicts itself or physics
  RL_FAULT_UNSUPPORTED, // valid, but this version cannot do it
  RL_FAULT_MEMORY
} rl_fault_kind;

// What is wrong with a definition, and where.
typedef struct rl_fault {
  rl_fault_kind kind;
  uint32_t body;     // index of the faulty body, or RL_NONE
  uint32_t rope;     // index of the faulty rope, or RL_NONE
  const char *field; // the field's name as in the scenario file ("length"), or NULL
  char place[48];    // place inside the field: keys, and indices from 0 ("2.turns"); "": all of it
  char message[256]; // what was found and what was expected
} rl_fault;

// ---------------------------------------------------------------------------------------------
// Model: what the solvers see.

// Capabilities that a model needs and a solver offers. Combinations of bits are for solvers that
// support all of them; solvers with a narrower law offer single bits. Messages name the first
// capability that is missing.
typedef enum rl_capability {
  RL_CAN_CHAINS = 1U << 0,      // straight elements one after the other
  RL_CAN_SPANS = 1U << 1,       // elements over eyes, and ends beside a body's centre
  RL_CAN_TOUCH = 1U << 2,       // ropes with mass against bodies other than level ground
  RL_CAN_ELASTIC = 1U << 3,     // finite stiffness EA
  RL_CAN_COMPRESSION = 1U << 4, // elements that resist being shortened
  RL_CAN_LOADS = 1U << 5,       // bodies that move freely
  RL_CAN_SPACE = 1U << 6,       // ropes out of the x-y plane, gravity other than along y
  RL_CAN_GROUND = 1U << 7,      // nodes of ropes against fixed level ground: a plane with normal +y
  RL_CAN_DRAG = 1U << 8,        // linear drag on nodes
  RL_CAN_FRICTION = 1U << 9,    // Coulomb friction, but not of massless ropes on bodies
  RL_CAN_JOINTS = 1U << 10,     // ropes joined in a node
  RL_CAN_ROTATION = 1U << 11,   // bodies that turn
  RL_CAN_LOOPS = 1U << 12,      // ropes without ends
  RL_CAN_WRAPS = 1U << 13,      // massless ropes over the surfaces of bodies
  RL_CAN_COLLISIONS = 1U << 14, // bodies that touch each other
  RL_CAN_BOUNCES = 1U << 15,    // contacts of bodies that bounce, or stop them within a step
  RL_CAN_PART = 1U << 16,       // ropes that tear or are cut, ends and bodies that are let go
  RL_CAN_FORCES = 1U << 17,     // forces from outside, wind
  RL_CAN_REEL = 1U << 18,       // winches at ends of massless ropes
  RL_CAN_RINGS = 1U << 19,      // ropes with mass through eyes
  RL_CAN_BELTS = 1U << 20,      // massless loops
  RL_CAN_BENDING = 1U << 21,    // bending stiffness EI
  RL_CAN_TANGLE = 1U << 22,     // ropes that touch themselves and each other
  RL_CAN_FEED = 1U << 23,       // winches on ropes with mass, or limited by a tension

  RL_CAN_LINKS = RL_CAN_CHAINS | RL_CAN_LOADS | RL_CAN_SPACE,
  RL_CAN_CONTACTS = RL_CAN_GROUND | RL_CAN_TOUCH,
  // Everything that does not depend on the force law of the elements.
  RL_CAN_WORLD = RL_CAN_LINKS | RL_CAN_SPANS | RL_CAN_JOINTS | RL_CAN_LOOPS | RL_CAN_WRAPS |
                 RL_CAN_CONTACTS | RL_CAN_FRICTION | RL_CAN_ROTATION | RL_CAN_DRAG |
                 RL_CAN_COMPRESSION | RL_CAN_COLLISIONS | RL_CAN_BOUNCES | RL_CAN_PART |
                 RL_CAN_FORCES | RL_CAN_REEL | RL_CAN_FEED | RL_CAN_BENDING | RL_CAN_RINGS |
                 RL_CAN_BELTS,
} rl_capability;

// Returns the name of a single capability bit for messages: "elastic ropes".
const char *rl_capability_name(uint32_t bit);

// A face of a convex hull: normal . p = offset, and its corners, counterclockwise from in front.
typedef struct rl_face {
  rl_vec3 normal; // unit, outward
  double offset;  // [m]
  uint32_t first_corner, corner_count;
} rl_face;

// A directed edge of a box or hull: of a face, the side from a corner of it to the next one,
// counterclockwise.
#define RL_FEATURE_EDGE(face, corner) (((face) << 16) | (corner))
#define RL_FEATURE_FACE(edge) ((edge) >> 16)
#define RL_FEATURE_CORNER(edge) ((edge)&0xffffU)

typedef struct rl_part {
  const char *name;
  rl_shape shape;
  rl_vec3 at;       // in the body's frame
  rl_quat rotation; // in the body's frame
  double radius;
  double length;
  rl_vec3 half;   // box: half edge lengths
  rl_vec3 normal; // plane: unit outward normal, in the part's frame
  double bound;   // radius of a ball about `at` that contains the part [m]; INFINITY for a plane
  double inner;   // radius of about the largest ball inside the part [m]; INFINITY for a plane
  // Hull, in the part's frame: faces, the point index of each corner of each face, the twin of the
  // edge that begins there, which is the same edge of another face, points.
  uint32_t face_count, point_count;
  const rl_face *faces;
  const uint16_t *corners;
  const uint32_t *twins;
  const rl_vec3 *points;
} rl_part;

typedef struct rl_body {
  const char *name;
  rl_motion motion;
  double mass;
  rl_vec3 position;
  rl_quat rotation;
  rl_vec3 velocity;
  rl_vec3 spin;       // at the start, world frame [rad/s]
  bool is_released;   // fixed until an event lets it go
  uint32_t spin_slot; // RL_NONE: it does not turn
  // Square roots of the principal moments of inertia [m sqrt(kg)], and their inverses; both 0 about
  // an axis that is held, both 1 for a driven body.
  rl_vec3 root_inertia, inverse_root_inertia;
  bool collide; // with other bodies
  bool rope_collide;
  double bound; // radius of a ball about the centre that contains all parts [m]; 0 without parts
  size_t part_count;
  const rl_part *parts;
  size_t drive_count;
  const rl_drive_key *drive;
} rl_body;

// A point that a rope runs through: a node, the point `offset` in the frame of the body whose
// centre is at `slot`, or the position `offset` in space where slot is RL_NONE.
typedef struct rl_vertex {
  uint32_t slot;
  rl_vec3 offset;
} rl_vertex;

typedef struct rl_rope {
  const char *name;
  bool massless;
  bool closed;
  bool compression;
  bool rope_collide; // touches itself and other ropes with this flag
  double friction;   // on ropes, Coulomb coefficient; NAN: that of the other rope
  double stiffness;  // EA [N]; INFINITY: inextensible
  double damping;    // axial [N s]
  double damping_ratio;
  double bending;           // EI [N m^2]
  uint32_t first_flexure;   // if EI > 0: its flexures, one more than elements (flexure.h)
  rl_vec3 clamps[2];        // directions that the ends keep, towards `to`, unit; 0: hinged
  uint32_t clamp_bodies[2]; // bodies in whose frames these are; RL_NONE: in space
  double radius;
  double length; // initial rest length of the whole rope [m]
  // The elements are links first_link ... first_link + link_count - 1 at the start, and up to
  // link_capacity links where winches feed nodes into the rope.
  uint32_t first_link, link_count, link_capacity;
  uint32_t first_eye; // massless rope: its eyes in model->eyes, in order
  uint32_t eye_count;
  uint32_t ring_count; // rope with mass: number of its eyes, from first_eye on as well; the state
                       // has the element that runs through each
  uint32_t first_wrap; // massless rope that can lie on bodies: its wraps in state->wraps
  uint32_t wrap_capacity, wrap_count; // most wraps at a time (0: none), and at the start
  bool rubs;                          // some wraps may have friction
  uint32_t ends[2]; // slots where its elements begin and end; of a loop both are node 0
  uint32_t first_spare, spare_count; // slots of its spare nodes, used when it parts or grows
  uint32_t first_in_pool;            // index of these in state->spares
  bool stops_run;                    // the run stops when no spare node is left
  bool tears;                        // an element has a finite strength
  bool is_reeled;                    // a winch works on it
  bool is_fed;                       // a winch works on it and it has mass: nodes come and go there
  double density;                    // mass per rest length [kg/m]
  double end_masses[2];              // of its end nodes once they are released [kg]
  double drag, drag_per_length;      // [N s/m], [N s/m^2]
} rl_rope;

// Returns the number of nodes of a rope at the start: one more than elements; in a loop as many.
static inline uint32_t rl_rope_node_count(const rl_rope *rope) {
  return rope->link_count + (rope->closed ? 0 : 1);
}

// A massless node that is fixed to a body, at `offset` in its frame beside the centre.
typedef struct rl_hold {
  uint32_t slot;
  uint32_t body;
  rl_vec3 offset;
} rl_hold;

// The state of friction in a wrap. If the rope slides or slips, the pieces before and behind the
// wrap belong to one strand; if it sticks, to two.
typedef enum rl_grip {
  RL_SLIDES, // without friction
  RL_STICKS,
  RL_SLIPS_ON,   // towards `to`: the tension is larger behind the wrap
  RL_SLIPS_BACK, // towards `from`
  RL_MEETS,      // new, with friction: slides until a step has shown which way the rope runs
} rl_grip;

// A wrap: a contact of a massless rope with the surface of a body, or an eye. Wraps are in the
// order of the rope; piece i is the straight piece before wrap i, and the last piece is behind the
// last wrap.
typedef struct rl_wrap {
  uint32_t body;              // RL_NONE: an eye
  uint32_t part;              // of the body; of an eye its index in model->eyes
  uint32_t feature;           // of the part (path_solid.h)
  uint32_t grip;              // rl_grip
  bool held;                  // on a ball: friction holds the rope in the plane across `side`
  bool yields;                // held: the plane follows the limit of friction, (19c) of balls.md
  double sense, angle, along; // of rl_path_item: sense, wrap, along
  rl_vec3 hinge, side;        // of rl_path_item, in the body's frame; hinge 0: unknown
  rl_vec3 mark;   // point of the surface at which the rope sticks, in the body's frame [m]
  double rest;    // rest length of the piece after it, between marks [m]
  double tension; // of the piece after it in the last step [N]
  double slip;    // speed of the rope over the surface, towards `to` positive [m/s]
} rl_wrap;

// An element of a rope: slots of its two ends, rest length [m], compliance [m/N] (0: inextensible).
typedef struct rl_link {
  uint32_t a, b;
  double rest;
  double compliance;
} rl_link;

// Two parts of two bodies that can touch; at least one of the bodies can move.
typedef struct rl_pair {
  uint32_t bodies[2], parts[2];
  double friction, restitution;
} rl_pair;

// The model. Slots are the indices of everything that moves: first the places, which are the rope
// nodes and then the centres of the bodies, then the spins of the bodies that turn. A rope end that
// is tied to the centre of a body has the slot of the body as its node.
//
// To every method a spin slot is one more point of unit mass, because its coordinates are scaled by
// the square roots s of the principal moments of inertia: its velocity is u = s omega, with omega
// in the body's frame; its kinetic energy is u.u / 2; a torque tau in that frame acts as the force
// tau / s. Its position is s times the small rotation since the body's rotation in the state
// (rotation.h:rl_body_rotation), and 0 between steps. papers/world.md, "Bodies that turn".
typedef struct rl_model {
  rl_vec3 gravity;
  uint32_t capabilities; // rl_capability bits that a solver must have
  uint32_t body_count, rope_count, node_count, link_count, eye_count, hold_count;
  uint32_t pair_count, event_count;
  uint32_t flexure_count;    // places where ropes with bending stiffness can be bent
  uint32_t pool_capacity;    // number of spare nodes of all ropes
  bool topology_changes;     // links can change their ends: ropes part or grow
  bool is_pushed;            // there are forces or wind
  bool has_drag;             // some rope has drag
  bool is_reeled;            // there are winches
  bool is_fed;               // some winches are on ropes with mass
  bool is_limited;           // some winches are limited by a tension
  bool is_swiped;            // there are swipes that take time
  bool has_rings;            // some ropes with mass run through eyes
  bool rings_rub;            // some of these eyes have friction
  bool ropes_rub;            // some ropes with mass rub on bodies
  bool has_belts;            // there are massless loops
  uint32_t part_count;       // of all bodies
  uint32_t place_count;      // node_count + body_count
  uint32_t slot_count;       // place_count + bodies that turn
  uint32_t contact_capacity; // most contacts at a time
  uint32_t tangle_capacity;  // most contacts of ropes with ropes at a time; 0: none can be
  uint32_t tangle_count;     // number of elements of ropes that can touch ropes
  uint32_t wrap_capacity;    // most wraps at a time
  uint32_t path_capacity;    // most wraps of one rope
  uint32_t split_capacity;   // most wraps at a time that can stick
  uint32_t row_capacity;     // most general rows at a time: spans + contacts
  uint32_t vertex_capacity;  // most vertices of general rows at a time
  uint32_t entry_capacity;   // most entries of general rows at a time
  const rl_body *bodies;
  const rl_rope *ropes;
  const rl_vertex *eyes;
  const double *eye_frictions;  // [eye_count] Coulomb coefficient of the rope in the eye
  const uint32_t *eye_elements; // [eye_count] rope with mass: the element in the eye at the start
  const rl_hold *holds;
  const rl_pair *pairs; // sorted by their first bodies
  const rl_wrap *wraps; // [wrap_capacity] at the start
  const rl_vec3 *seams; // [rope_count] of massless loops, at the start [m]; else not used
  // The start of the run.
  const rl_point *points;    // [slot_count] positions with inverse masses
  const double *masses;      // [slot_count] [kg]
  const rl_vec3 *velocities; // [slot_count]
  const double *drags;       // [slot_count] linear drag coefficient [N s/m]
  const rl_link *links;      // [link_count]
  const uint32_t *link_rope; // [link_count] the rope of each link
  const uint8_t *touches;    // [rope_count x body_count] 1: the rope can touch the body
  const double *frictions;   // [rope_count x body_count] Coulomb coefficient of the pair
  const uint32_t *node_rope; // [node_count]
  const uint32_t *node_hold; // [node_count] index of the hold of a node, RL_NONE: not held
  const rl_event *events;    // in the order of the definition
  const double *strengths;   // [link_count] tension at which a link tears [N]; NULL: none tears
  void *allocation;          // owns the arrays
  size_t bytes;              // size of the arrays
  size_t memory;             // what is left for matrices [bytes]; SIZE_MAX: no limit
  double reach;              // sum of rope lengths and distances [m]: the size of the scene
  double fall;               // sum of masses times how far each can get [kg m]
} rl_model;

// Makes a model from a definition, which is checked completely and copied. One without ropes is of
// use for the geometry of its bodies, but cannot be run: the lengths of ropes make the size of a
// scene, and their nodes say whether it is plane. Returns NULL on an
// error, and describes it in `fault`, which must not be NULL. Free the model with rl_model_free.
rl_model *rl_model_create(const rl_definition *definition, rl_fault *fault);
void rl_model_free(rl_model *model);

static inline uint32_t rl_body_slot(const rl_model *model, uint32_t body) {
  return model->node_count + body;
}

// Returns the body whose centre is at a slot; NULL for a node, a spin and RL_NONE.
static inline const rl_body *rl_slot_body(const rl_model *model, uint32_t slot) {
  return slot >= model->node_count && slot < model->place_count
             ? &model->bodies[slot - model->node_count]
             : NULL;
}

// Returns the hold of a node; NULL if it is not held.
static inline const rl_hold *rl_hold_of(const rl_model *model, uint32_t slot) {
  const uint32_t hold = slot < model->node_count ? model->node_hold[slot] : RL_NONE;
  return hold == RL_NONE ? NULL : &model->holds[hold];
}

// Returns the hold of a node on a body that moves freely or turns; else NULL.
static inline const rl_hold *rl_moving_hold(const rl_model *model, uint32_t slot) {
  const rl_hold *hold = rl_hold_of(model, slot);
  const rl_body *body = hold ? &model->bodies[hold->body] : NULL;
  return body && (body->motion == RL_FREE || body->spin_slot != RL_NONE) ? hold : NULL;
}

// Whether a rope can touch a body, and the Coulomb coefficient of the pair.
static inline bool rl_rope_touches(const rl_model *model, uint32_t rope, uint32_t body) {
  return model->touches[(size_t)rope * model->body_count + body] != 0;
}

static inline double rl_rope_friction(const rl_model *model, uint32_t rope, uint32_t body) {
  return model->frictions[(size_t)rope * model->body_count + body];
}

// Returns the body to which a rope end at a slot is tied; RL_NONE if there is none.
uint32_t rl_tied_body(const rl_model *model, uint32_t slot);

// Returns the position of a driven body at time t [s]: linear between its keys, at rest before the
// first and after the last.
rl_vec3 rl_drive_position(size_t count, const rl_drive_key *keys, double t);

// Whether nothing acts on the system from outside, so that its momentum is conserved.
bool rl_model_keeps_momentum(const rl_model *model);

// Whether the angular momentum about the origin is conserved; ropes may be fixed at the origin.
bool rl_model_keeps_angular_momentum(const rl_model *model);

#endif
